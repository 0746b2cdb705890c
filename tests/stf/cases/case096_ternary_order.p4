// SPDX-License-Identifier: Apache-2.0
// The first entry that fits wins.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action mark(bit<8> v) {
        hd.h.d = v;
    }

    table t {
        key = { hd.h.a : ternary; }
        actions = { mark; NoAction; }
        const default_action = NoAction();
        const entries = {
            0x10 &&& 0xF0: mark(1);
            0x11:          mark(2);
            0x21:          mark(3);
            0x20 &&& 0xF0: mark(4);
            0x80 &&& 0x80: mark(5);
        }
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        t.apply();
    }
}

xdp(P(), C(), D()) main;
