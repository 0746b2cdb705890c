// SPDX-License-Identifier: Apache-2.0
// Prefixes of no length, of the whole length, and the entry `_`.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action mark(bit<8> v) {
        hd.h.d = v;
    }

    table first {
        key = { hd.h.a ++ hd.h.b : lpm @name("ab"); }
        actions = { mark; NoAction; }
        const default_action = NoAction();
        const entries = {
            0x1200 &&& 0xFF00: mark(1);
            0x1234:            mark(2);
            0x1234 &&& 0xFFFE: mark(3);
            0 &&& 0:           mark(4);
        }
    }

    table second {
        key = { hd.h.c : lpm; }
        actions = { mark; NoAction; }
        const default_action = NoAction();
        const entries = {
            0x55: mark(0x55);
            _:    mark(0x99);
        }
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (hd.h.c == 0) {
            first.apply();
        } else {
            second.apply();
        }
    }
}

xdp(P(), C(), D()) main;
