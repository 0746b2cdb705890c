// SPDX-License-Identifier: Apache-2.0
// Copies meet egress with the bytes that the ingress deparser made, each with its port and instance;
// a group counts more than a port, and one without copies drops the packet.
#include "include/psa_case.p4"

control I(
    inout Hdr hd,
    inout Meta m,
    in psa_ingress_input_metadata_t s,
    inout psa_ingress_output_metadata_t o)
{
    apply {
        send_to_port(o, (PortId_t) 1);
        o.class_of_service = (ClassOfService_t) 3;
        if (hd.h.a != 0) {
            o.multicast_group = (MulticastGroup_t) (MulticastGroupUint_t) (bit<32>) hd.h.a;
        }
        hd.h.b = hd.h.b + 1;
        if (hd.h.a == 8) {
            hd.eth.setInvalid();
        }
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
        normal.byte = hd.h.b;
        p.emit(hd);
    }
}

parser EP2(
    packet_in p,
    out Hdr hd,
    inout Meta m,
    in psa_egress_parser_input_metadata_t s,
    in Carried normal,
    in Carried cloned,
    in Carried copied)
{
    state start {
        m.normal = normal.byte;
        m.copied = (bit<8>) (PortIdUint_t) s.egress_port;
        transition select(p.lookahead<bit<8>>()) {
            8: short;
            default: whole;
        }
    }
    state short {
        p.extract(hd.h);
        transition accept;
    }
    state whole {
        p.extract(hd.eth);
        p.extract(hd.h);
        transition accept;
    }
}

control E(
    inout Hdr hd,
    inout Meta m,
    in psa_egress_input_metadata_t s,
    inout psa_egress_output_metadata_t o)
{
    apply {
        hd.h.c = m.normal + (bit<8>) (EgressInstanceUint_t) s.instance;
        hd.h.d = m.copied;
        if (s.packet_path == PSA_PacketPath_t.NORMAL_MULTICAST) {
            hd.h.d = hd.h.d + 0x10;
        }
        if (s.class_of_service == (ClassOfService_t) 3) {
            hd.h.d = hd.h.d + 0x80;
        }
        if (s.egress_port == (PortId_t) 6) {
            egress_drop(o);
        }
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
        p.emit(hd);
    }
}

IngressPipeline(IP(), I(), ID()) ingress;
EgressPipeline(EP2(), E(), ED()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
