// SPDX-License-Identifier: Apache-2.0
// The control plane sees the parameters of actions, too, by their @name, also those of struct types, and
// what stands in the properties of a table by the whole name that the property has.
#include "include/v1.p4"

struct Pair {
    bit<8> first;
    bit<8> second;
}

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    action to(@name("orange") bit<9> port, bit<8> c, @name("both") Pair pair) {
        s.egress_spec = port;
        hd.h.b = pair.first;
        hd.h.c = c;
        hd.h.d = pair.second;
    }
    table t {
        key = {
            hd.h.a: exact;
        }
        actions = {
            to;
            NoAction;
        }
        default_action = NoAction();
        @name("tallies") counters = direct_counter(CounterType.packets);
    }
    action mark(bit<8> value) {
        hd.h.d = value;
    }
    table u {
        key = {
            hd.h.b: exact;
        }
        actions = {
            mark;
            NoAction;
        }
        @name(".marks") implementation = action_profile(4);
        size = 8;
    }
    apply {
        t.apply();
        u.apply();
    }
}

V1Switch(P(), V(), I(), NoEgress(), C(), D()) main;
