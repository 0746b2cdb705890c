// SPDX-License-Identifier: Apache-2.0
// The control plane says where packets go: to a port, to all ports of a group, to this machine, or
// through ingress again, since its port is a number like any other.
#include "include/psa_case.p4"

control I(
    inout Hdr hd,
    inout Meta m,
    in psa_ingress_input_metadata_t s,
    inout psa_ingress_output_metadata_t o)
{
    action to(PortId_t port) {
        send_to_port(o, port);
    }
    action to_group(MulticastGroup_t group) {
        multicast(o, group);
    }
    action once_more() {
        o.drop = false;
        o.resubmit = true;
    }
    action drop() {
        ingress_drop(o);
    }
    table where {
        key = {
            hd.h.a: exact;
            s.packet_path: exact;
        }
        actions = {
            to;
            to_group;
            once_more;
            drop;
        }
        default_action = drop;
    }
    apply {
        if (hd.h.a == 9 && s.packet_path == PSA_PacketPath_t.RECIRCULATE) {
            hd.h.a = 1;
        }
        where.apply();
        hd.h.b = hd.h.b + 1 + m.resubmitted + m.recirculated;
    }
}

control ID(
    packet_out p,
    out Carried cloned,
    out Carried again,
    out Carried normal,
    inout Hdr hd,
    in Meta m,
    in psa_ingress_output_metadata_t s)
{
    apply {
        again.byte = 0x20;
        normal.byte = hd.h.b;
        p.emit(hd);
    }
}

control E(
    inout Hdr hd,
    inout Meta m,
    in psa_egress_input_metadata_t s,
    inout psa_egress_output_metadata_t o)
{
    apply {
        hd.h.c = m.normal;
        hd.h.d = (bit<8>) (PortIdUint_t) s.egress_port + ((bit<8>) (EgressInstanceUint_t) s.instance << 4);
    }
}

control ED(
    packet_out p,
    out Carried copied,
    out Carried round,
    inout Hdr hd,
    in Meta m,
    in psa_egress_output_metadata_t s,
    in psa_egress_deparser_input_metadata_t e)
{
    apply {
        round.byte = 0x40;
        p.emit(hd);
    }
}

IngressPipeline(IP(), I(), ID()) ingress;
EgressPipeline(EP(), E(), ED()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
