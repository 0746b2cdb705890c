// SPDX-License-Identifier: Apache-2.0
// The annotation of programs for bmv2: the smallest number wins, an entry without one has
// its position, counted from 1.

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
            0x10 &&& 0xF0: mark(1) @priority(3);
            0x12:          mark(2);
            0x10 &&& 0xFE: mark(3) @priority(1);
            0x18:          mark(4);
        }
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        t.apply();
    }
}

xdp(P(), C(), D()) main;
