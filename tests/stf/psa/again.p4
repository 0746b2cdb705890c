// SPDX-License-Identifier: Apache-2.0
// Once more through ingress: as the packet came by resubmission, as it left by recirculation. What a
// path carries is there on that path, the port is kept by resubmission, and there is an end to it.
#include "include/psa_case.p4"

control I(
    inout Hdr hd,
    inout Meta m,
    in psa_ingress_input_metadata_t s,
    inout psa_ingress_output_metadata_t o)
{
    apply {
        if (s.packet_path == PSA_PacketPath_t.NORMAL) {
            hd.h.b = 1;
        }
        if (s.packet_path == PSA_PacketPath_t.RESUBMIT) {
            hd.h.c = m.resubmitted;
        }
        if (s.packet_path == PSA_PacketPath_t.RECIRCULATE) {
            hd.h.d = m.recirculated;
        }
        if (hd.h.a == 1 && s.packet_path == PSA_PacketPath_t.NORMAL) {
            o.drop = false;
            o.resubmit = true;
        } else if (hd.h.a == 2) {
            send_to_port(o, PSA_PORT_RECIRCULATE);
        } else if (hd.h.a == 3 && s.packet_path != PSA_PacketPath_t.RESUBMIT) {
            o.drop = false;
            o.resubmit = true;
        } else if (hd.h.a == 4 && m.recirculated != 0xff) {
            send_to_port(o, PSA_PORT_RECIRCULATE);
        } else if (hd.h.a == 5) {
            o.resubmit = true;
        } else {
            send_to_port(o, (PortId_t) 1);
        }
        if (s.ingress_port == PSA_PORT_RECIRCULATE) {
            hd.h.b = hd.h.b + 0x10;
        } else if (s.ingress_port == (PortId_t) 2) {
            hd.h.b = hd.h.b + 0x20;
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
        if (psa_resubmit(s)) {
            again.byte = hd.h.b + 0x40;
        }
        if (psa_normal(s)) {
            normal.byte = hd.h.a;
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
        if (s.egress_port == PSA_PORT_RECIRCULATE && m.normal != 4) {
            hd.h.a = 3;
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
        if (psa_recirculate(s, e)) {
            round.byte = hd.h.d + 0x55;
        }
        p.emit(hd);
    }
}

IngressPipeline(IP(), I(), ID()) ingress;
EgressPipeline(EP(), E(), ED()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
