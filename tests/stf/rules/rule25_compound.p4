// SPDX-License-Identifier: Apache-2.0
// The place that a compound assignment changes is found once, and read before the right side
// is evaluated.

#include "../include/skeleton.p4"

bit<8> bump(inout bit<8> v) {
    v = v + 1;
    return 1;
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.h.a += 3;
        hd.h.b |= hd.h.a;
        hd.h.c <<= 1;
        hd.h.d -= bump(hd.h.d);
    }
}

xdp(P(), C(), D()) main;
