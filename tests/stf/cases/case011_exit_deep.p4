// SPDX-License-Identifier: Apache-2.0
// `exit` two calls deep copies out at every level.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action inner(inout bit<8> v) {
        v = 1;
        exit;
    }

    action outer(inout bit<8> w) {
        w = 3;
        inner(hd.h.a);
        w = 4;
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        outer(hd.h.b);
        hd.h.c = 1;
    }
}

xdp(P(), C(), D()) main;
