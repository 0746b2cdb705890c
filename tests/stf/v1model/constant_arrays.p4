// SPDX-License-Identifier: Apache-2.0
// Large constant tables over small keys are arrays: those that hit for each key, those that miss
// for some, with one action and with several, with data of all widths.
#include <core.p4>
#include <v1model.p4>

header Data {
    bit<8> key;
    bit<8> hit;
    bit<8> one;
    bit<128> wide;
    bit<16> other;
    int<8> less;
    bit<8> ran;
}

struct Headers {
    Data data;
}

struct Meta { }

#define FOUR(n) n: one((n) ^ 0xa5); n + 1: one(n); n + 2: one(7); n + 3: one(n + 1);
#define SIXTEEN(n) FOUR(n) FOUR(n + 4) FOUR(n + 8) FOUR(n + 12)
#define MANY(n) SIXTEEN(n) SIXTEEN(n + 16) SIXTEEN(n + 32) SIXTEEN(n + 48)

#define PAIR(n) n: wide((n) << 100 | (n) << 64 | (n)); n + 1: both((n) * 257, -((n) % 100), ((n) & 2) == 2);
#define EIGHT(n) PAIR(n) PAIR(n + 2) PAIR(n + 4) PAIR(n + 6)
#define THIRTY_TWO(n) EIGHT(n) EIGHT(n + 8) EIGHT(n + 16) EIGHT(n + 24)

parser P(packet_in p, out Headers hd, inout Meta m, inout standard_metadata_t s) {
    state start {
        p.extract(hd.data);
        transition accept;
    }
}

control V(inout Headers hd, inout Meta m) {
    apply { }
}

control I(inout Headers hd, inout Meta m, inout standard_metadata_t s) {
    action one(bit<8> value) {
        hd.data.one = value;
    }
    action wide(bit<128> value) {
        hd.data.wide = value;
    }
    action both(bit<16> other, int<8> less, bool flag) {
        hd.data.other = other;
        hd.data.less = flag ? less : 1;
    }
    action miss() {
        hd.data.other = 0xdead;
    }
    table full {
        key = { hd.data.key: exact; }
        actions = { one; }
        const entries = {
            MANY(0)
            MANY(64)
            MANY(128)
            MANY(192)
        }
    }
    table partial {
        key = { hd.data.key: exact; }
        actions = { wide; both; miss; }
        const entries = {
            THIRTY_TWO(0)
            THIRTY_TWO(32)
            THIRTY_TWO(200)
        }
        const default_action = miss();
    }
    apply {
        s.egress_spec = 1;
        full.apply();
        hd.data.hit = 0;
        if (partial.apply().hit) {
            hd.data.hit = 1;
        }
        switch (partial.apply().action_run) {
            wide: { hd.data.ran = 1; }
            both: { hd.data.ran = 2; }
            default: { hd.data.ran = 3; }
        }
    }
}

control E(inout Headers hd, inout Meta m, inout standard_metadata_t s) {
    apply { }
}

control C(inout Headers hd, inout Meta m) {
    apply { }
}

control D(packet_out p, in Headers hd) {
    apply {
        p.emit(hd.data);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
