// SPDX-License-Identifier: Apache-2.0
// The first entry that fits wins; bits outside of a mask are of no account; a table without a
// key always misses.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action mark(bit<8> v) {
        hd.h.d = v;
    }

    table keyless {
        actions = { NoAction; }
        default_action = NoAction();
    }

    table t {
        key = { hd.h.a : ternary; }
        actions = { mark; NoAction; }
        const entries = {
            0x1F &&& 0xF0: mark(1);
            0x1F:          mark(2);
            0xFF &&& 0x81: mark(3);
            _:             mark(4);
        }
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (!keyless.apply().hit) {
            t.apply();
        }
    }
}

xdp(P(), C(), D()) main;
