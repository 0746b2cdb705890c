// SPDX-License-Identifier: Apache-2.0
// A table without a key runs its default action, and never hits.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action mark(bit<8> v) {
        hd.h.d = v;
    }

    table t {
        actions = { mark; }
        default_action = mark(5);
    }

    table empty_key {
        key = {}
        actions = { mark; NoAction; }
        const default_action = mark(6);
    }

    table none {
        actions = { NoAction; }
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (t.apply().hit) {
            hd.h.a = 1;
        }
        if (empty_key.apply().miss) {
            hd.h.b = hd.h.d;
        }
        none.apply();
        hd.h.c = hd.h.d + 1;
    }
}

xdp(P(), C(), D()) main;
