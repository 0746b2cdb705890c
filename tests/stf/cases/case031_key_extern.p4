// SPDX-License-Identifier: Apache-2.0
// A key that is a call of an extern and one that is a sum.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action x(bit<8> v) {
        hd.h.d = v;
    }

    table t {
        key = {
            csum_replace2(hd.h.a ++ hd.h.b, 0, 1) : exact @name("sum");
            hd.h.c + 1                            : exact @name("next");
        }
        actions = { x; NoAction; }
        const default_action = NoAction();
        const entries = {
            (0x1233, 0): x(0x11);
            (0x1233, 1): x(0x22);
        }
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        t.apply();
    }
}

xdp(P(), C(), D()) main;
