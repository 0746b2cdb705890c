// SPDX-License-Identifier: Apache-2.0
// An action selector of PSA, with a direct counter, a direct meter and idle timeouts in its table; a
// group without members does nothing.
#include "include/psa_case.p4"

control I(
    inout Hdr hd,
    inout Meta m,
    in psa_ingress_input_metadata_t s,
    inout psa_ingress_output_metadata_t o)
{
    ActionSelector(PSA_HashAlgorithm_t.CRC16, 16, 16) paths;
    DirectCounter<bit<32>>(PSA_CounterType_t.PACKETS) hits;
    DirectMeter(PSA_MeterType_t.PACKETS) rates;

    action set(bit<8> value) {
        hits.count();
        hd.h.b = value;
        hd.h.c = rates.execute() == PSA_MeterColor_t.GREEN ? 8w1 : 2;
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
        psa_direct_meter = rates;
        psa_idle_timeout = PSA_IdleTimeout_t.NOTIFY_CONTROL;
    }

    apply {
        send_to_port(o, (PortId_t) 2);
        spread.apply();
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
