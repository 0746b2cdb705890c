// SPDX-License-Identifier: Apache-2.0
// The paths of a packet and what each carries along: to one port and to several, clones from both
// ends, once more through ingress as it came or as it left, and nowhere.
#include "include/psa_case.p4"

control I(
    inout Hdr hd,
    inout Meta m,
    in psa_ingress_input_metadata_t s,
    inout psa_ingress_output_metadata_t o)
{
    apply {
        if (s.packet_path == PSA_PacketPath_t.NORMAL && hd.h.a == 3) {
            o.drop = false;
            o.resubmit = true;
        } else if (hd.h.a == 4) {
            multicast(o, (MulticastGroup_t) 7);
        } else if (hd.h.a == 5) {
            send_to_port(o, PSA_PORT_RECIRCULATE);
        } else if (hd.h.a != 0) {
            send_to_port(o, (PortId_t) 2);
        }
        if (hd.h.a == 1) {
            o.clone = true;
            o.clone_session_id = (CloneSessionId_t) 9;
        }
        hd.h.b = hd.h.b + 1;
        hd.h.c = hd.h.c + m.resubmitted + m.recirculated;
        if (s.packet_path == PSA_PacketPath_t.RECIRCULATE) {
            hd.h.d = s.ingress_port == PSA_PORT_RECIRCULATE ? 8w1 : 2;
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
        if (psa_clone_i2e(s)) {
            cloned.byte = 0x11;
        }
        if (psa_resubmit(s)) {
            again.byte = 0x22;
        }
        if (psa_normal(s)) {
            normal.byte = 0x33;
        }
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
        hd.h.c = hd.h.c + m.normal + m.cloned + m.copied;
        if (s.packet_path == PSA_PacketPath_t.NORMAL_MULTICAST) {
            hd.h.d = (bit<8>) (EgressInstanceUint_t) s.instance;
        }
        if (s.packet_path == PSA_PacketPath_t.NORMAL_UNICAST && hd.h.a == 2) {
            o.clone = true;
            o.clone_session_id = (CloneSessionId_t) 9;
            egress_drop(o);
        }
        if (s.egress_port == PSA_PORT_RECIRCULATE) {
            hd.h.a = 6;
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
        if (psa_clone_e2e(s)) {
            copied.byte = 0x44;
        }
        if (psa_recirculate(s, e)) {
            round.byte = 0x55;
        }
        p.emit(hd);
    }
}

IngressPipeline(IP(), I(), ID()) ingress;
EgressPipeline(EP(), E(), ED()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
