// SPDX-License-Identifier: Apache-2.0
// A ternary table with 32 masks.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action mark(bit<8> v) {
        hd.h.d = v;
    }

    table t {
        key = {
            hd.h.a ++ hd.h.b : ternary @name("ab");
            hd.h.c           : ternary @name("c");
        }
        actions = { mark; NoAction; }
        default_action = NoAction();
        size = 128;
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        t.apply();
    }
}

xdp(P(), C(), D()) main;
