// SPDX-License-Identifier: Apache-2.0
// What an entry runs whose group is empty: the table's `psa_empty_group_action`, with its data; in
// one table with a direct counter, which counts the hit, and in one without.
#include "include/psa_case.p4"

control I(
    inout Hdr hd,
    inout Meta m,
    in psa_ingress_input_metadata_t s,
    inout psa_ingress_output_metadata_t o)
{
    ActionSelector(PSA_HashAlgorithm_t.CRC16, 16, 16) paths;
    ActionSelector(PSA_HashAlgorithm_t.CRC16, 16, 16) others;
    DirectCounter<bit<32>>(PSA_CounterType_t.PACKETS) hits;
    action set(bit<8> value) {
        hits.count();
        hd.h.b = value;
    }
    action put(bit<8> value, bit<8> more) {
        hd.h.c = value + more;
    }
    action miss() {
        hd.h.b = 0xee;
    }
    table spread {
        key = {
            hd.h.a: exact;
            hd.h.d: selector;
        }
        actions = {
            set;
            @defaultonly miss;
        }
        default_action = miss;
        psa_implementation = paths;
        psa_direct_counter = hits;
        psa_empty_group_action = set(0x77);
    }

    table plain {
        key = {
            hd.h.a: exact;
            hd.h.d: selector;
        }
        actions = {
            put;
            NoAction;
        }
        psa_implementation = others;
        psa_empty_group_action = put(1, 2);
    }

    apply {
        send_to_port(o, (PortId_t) 2);
        spread.apply();
        switch (plain.apply().action_run) {
            put: { hd.h.d = hd.h.d + 1; }
            default: { }
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
