// SPDX-License-Identifier: Apache-2.0
// A variable that is set between two conditional returns is set where it is read.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (hd.h.a == 1) return;
        bit<8> x = 4;
        if (hd.h.b == 1) return;
        hd.h.c = x;
    }
}

xdp(P(), C(), D()) main;
