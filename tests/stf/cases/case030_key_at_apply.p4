// SPDX-License-Identifier: Apache-2.0
// A key is read when the table is applied.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    bit<8> k = 0;

    action x() {
        hd.h.b = 1;
    }

    action y() {
        hd.h.b = 2;
    }

    table t {
        key = { k : exact; }
        actions = { x; y; NoAction; }
        default_action = NoAction();
        const entries = {
            0: x();
            5: y();
        }
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        k = hd.h.a;
        t.apply();
    }
}

xdp(P(), C(), D()) main;
