// SPDX-License-Identifier: Apache-2.0
// What the CPU's port sends comes by it, and a clone may go there beside the packet itself.
#include "include/psa_case.p4"

control I(
    inout Hdr hd,
    inout Meta m,
    in psa_ingress_input_metadata_t s,
    inout psa_ingress_output_metadata_t o)
{
    apply {
        hd.h.b = s.ingress_port == PSA_PORT_CPU ? 8w1 : 0;
        if (hd.h.a == 0) {
            send_to_port(o, PSA_PORT_CPU);
        } else {
            send_to_port(o, (PortId_t) 2);
        }
        if (hd.h.a == 2) {
            o.clone = true;
            o.clone_session_id = (CloneSessionId_t) 1;
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
        cloned.byte = 0x11;
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
        hd.h.c = m.cloned;
        if (s.egress_port == PSA_PORT_CPU) {
            hd.h.d = 7;
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
EgressPipeline(EP(), E(), ED()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
