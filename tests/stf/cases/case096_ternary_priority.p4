// SPDX-License-Identifier: Apache-2.0
// Priorities decide, not the order: the largest wins.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action mark(bit<8> v) {
        hd.h.d = v;
    }

    table t {
        key = { hd.h.a : ternary; }
        actions = { mark; NoAction; }
        default_action = NoAction();
        entries = {
            priority = 10: 0x10 &&& 0xF0: mark(1);
            priority = 30: 0x11:          mark(2);
            priority = 20: 0x10 &&& 0xFE: mark(3);
        }
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        t.apply();
    }
}

xdp(P(), C(), D()) main;
