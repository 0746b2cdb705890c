// SPDX-License-Identifier: Apache-2.0
// Reading a field of an invalid header gives some value and stops nothing; a key made of it
// still finds the entries that fit everything.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action mark(bit<8> v) {
        hd.h.d = v;
    }

    action also(bit<8> v) {
        hd.h.c = v;
    }

    table t {
        key = {
            hd.h.a : exact;
            hd.g.a : ternary;
        }
        actions = { mark; NoAction; }
        const default_action = mark(0xEE);
        const entries = {
            (1, _):       mark(1);
            (2, 0 &&& 0): mark(2);
        }
    }

    table prefix {
        key = { hd.g.b : lpm; }
        actions = { also; NoAction; }
        const default_action = NoAction();
        const entries = {
            0 &&& 0: also(0x77);
        }
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.h.b = hd.g.c == hd.g.c ? 8w1 : 8w2;
        t.apply();
        prefix.apply();
    }
}

xdp(P(), C(), D()) main;
