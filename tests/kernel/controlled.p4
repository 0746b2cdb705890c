// SPDX-License-Identifier: Apache-2.0
// Tables of every kind, a counter and a digest, for test_controller.py.
#include <core.p4>
#include <v1model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

struct Hdr {
    Eth eth;
}

struct Meta { }

struct seen_t {
    bit<48> src;
    bit<9>  port;
}

parser P(packet_in p, out Hdr hd, inout Meta m, inout standard_metadata_t s) {
    state start {
        p.extract(hd.eth);
        transition accept;
    }
}

control C(inout Hdr hd, inout Meta m) {
    apply { }
}

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    counter(8, CounterType.packets_and_bytes) frames;
    direct_counter(CounterType.packets) hits;
    register<bit<32>>(4) notes;

    action drop() {
        mark_to_drop(s);
    }
    action to_port(bit<9> port) {
        s.egress_spec = port;
    }
    table exacts {
        key = { hd.eth.dst: exact; }
        actions = { to_port; drop; }
        default_action = drop();
        counters = hits;
    }
    table prefixes {
        key = { hd.eth.dst: lpm; }
        actions = { to_port; drop; NoAction; }
        default_action = NoAction();
    }
    table ternaries {
        key = {
            hd.eth.src:  ternary;
            hd.eth.type: range;
        }
        actions = { to_port; drop; NoAction; }
        default_action = NoAction();
    }
    apply {
        digest<seen_t>(3, { hd.eth.src, s.ingress_port });
        frames.count((bit<32>) hd.eth.src[2:0]);
        bit<32> note;
        notes.read(note, 1);
        if (note == 77) {
            return;
        }
        exacts.apply();
        prefixes.apply();
        ternaries.apply();
    }
}

control E(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply { }
}

control D(packet_out p, in Hdr hd) {
    apply {
        p.emit(hd.eth);
    }
}

V1Switch(P(), C(), I(), E(), C(), D()) main;
