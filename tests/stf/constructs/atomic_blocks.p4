// SPDX-License-Identifier: Apache-2.0
// @atomic where nobody can come between: several counters, tables that nobody can change, one that
// can, in a block, an action, a control and the states of a parser.

#include "../include/skeleton.p4"

@atomic
parser PA(packet_in p, out Hdr hd) {
    value_set<bit<16>>(4) types;

    @atomic
    state start {
        p.extract(hd.eth);
        transition select(hd.eth.type) {
            types: accept;
            default: more;
        }
    }
    state more {
        @atomic {
            p.extract(hd.h);
            hd.h.d = 1;
        }
        transition accept;
    }
}

@atomic
control Inner(inout bit<8> x)(CounterArray counter) {
    apply {
        counter.increment(0);
        counter.add(1, (bit<32>) x);
        x = x + 1;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    CounterArray(4, false) counter;
    Inner(counter) inner;
    @atomic
    action set(bit<8> v) {
        counter.increment(2);
        counter.increment(2);
        hd.h.b = v;
    }
    table fixed {
        key = { hd.h.a: exact; }
        actions = { set; }
        const default_action = set(9);
        const entries = {
            1: set(2);
        }
    }
    table open {
        key = { hd.h.a: exact; }
        actions = { set; NoAction; }
    }
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        @atomic {
            inner.apply(hd.h.c);
            fixed.apply();
            if (hd.h.a == 7) {
                open.apply();
            } else {
                open.apply();
            }
            fixed.apply();
        }
    }
}

xdp(PA(), C(), D()) main;
