// SPDX-License-Identifier: Apache-2.0
// The default action of a table without a key can be changed.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action mark(bit<8> v) {
        hd.h.d = v;
    }

    table t {
        actions = { mark; NoAction; }
        default_action = mark(5);
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        t.apply();
    }
}

xdp(P(), C(), D()) main;
