// SPDX-License-Identifier: Apache-2.0
// Tables with an action profile, an action selector, direct counters and meters, and digests. A
// direct counter counts in the actions that say so, by what the packet has at that end.
#include "include/psa_case.p4"

struct Seen {
    bit<48> src;
    bit<32> port;
    bool    first;
}

control I(
    inout Hdr hd,
    inout Meta m,
    in psa_ingress_input_metadata_t s,
    inout psa_ingress_output_metadata_t o)
{
    ActionProfile(8) profile;
    ActionSelector(PSA_HashAlgorithm_t.CRC16, 8, 14) paths;
    DirectCounter<bit<32>>(PSA_CounterType_t.PACKETS_AND_BYTES) hits;
    DirectMeter(PSA_MeterType_t.PACKETS) rates;
    Digest<Seen>() learn;
    Digest<bit<8>>() odd;
    action set(bit<8> value) {
        hd.h.d = value;
    }
    action nothing() { }
    table by_profile {
        key = { hd.h.b: exact; }
        actions = {
            set;
            NoAction;
        }
        psa_implementation = profile;
    }
    table by_selector {
        key = {
            hd.h.b: ternary;
            hd.eth.dst: selector;
        }
        actions = {
            set;
            NoAction;
        }
        psa_implementation = paths;
    }
    action counted(bit<8> value) {
        hits.count();
        hd.h.d = value;
    }
    action metered() {
        PSA_MeterColor_t colour = rates.execute(PSA_MeterColor_t.YELLOW);
        hd.h.c = colour == PSA_MeterColor_t.RED ? 8w3 : colour == PSA_MeterColor_t.YELLOW ? 8w2 : 1;
        hd.h.d = rates.execute() == PSA_MeterColor_t.RED ? 8w1 : 0;
    }
    table direct {
        key = { hd.h.b: exact; }
        actions = {
            counted;
            metered;
            nothing;
        }
        default_action = nothing;
        psa_direct_counter = hits;
        psa_direct_meter = rates;
    }
    apply {
        send_to_port(o, (PortId_t) 1);
        if (hd.h.a == 0) {
            by_profile.apply();
        } else if (hd.h.a == 1) {
            by_selector.apply();
        } else if (hd.h.a == 2) {
            direct.apply();
        } else {
            learn.pack({ hd.eth.src, (PortIdUint_t) s.ingress_port, hd.h.b == 0 });
            if (hd.h.a == 4) {
                odd.pack(hd.h.b);
                ingress_drop(o);
            }
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
        if (hd.h.a == 2 && hd.h.b == 3) {
            hd.eth.setInvalid();
        }
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
    Counter<bit<64>, PortId_t>(512, PSA_CounterType_t.BYTES) left;
    apply {
        left.count(s.egress_port);
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
