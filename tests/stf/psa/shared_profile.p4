// SPDX-License-Identifier: Apache-2.0
// Two tables of PSA with different actions share an action profile: each leads to the members whose
// actions it lists.
#include "include/psa_case.p4"

control I(
    inout Hdr hd,
    inout Meta m,
    in psa_ingress_input_metadata_t s,
    inout psa_ingress_output_metadata_t o)
{
    ActionProfile(3) both;

    action left(bit<8> value) {
        hd.h.b = value;
    }
    action right(bit<16> value) {
        hd.h.c = value[7:0];
        hd.h.d = value[15:8];
    }
    table lefts {
        key = {
            hd.h.a: exact;
        }
        actions = {
            NoAction;
            left;
        }
        psa_implementation = both;
    }
    table rights {
        key = {
            hd.h.a: exact;
        }
        actions = {
            right;
            NoAction;
        }
        psa_implementation = both;
    }

    apply {
        send_to_port(o, (PortId_t) 2);
        switch (lefts.apply().action_run) {
            left: {
                hd.h.c = 0x77;
            }
        }
        rights.apply();
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
        normal.byte = 0;
        p.emit(hd);
    }
}

control E(
    inout Hdr hd,
    inout Meta m,
    in psa_egress_input_metadata_t s,
    inout psa_egress_output_metadata_t o)
{
    apply { }
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
