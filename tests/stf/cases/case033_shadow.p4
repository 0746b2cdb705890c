// SPDX-License-Identifier: Apache-2.0
// An inner variable hides the outer one, and its initialiser still reads the outer.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        bit<8> x = 4;
        {
            bit<8> x = x + 1;
            hd.h.a = x;
        }
        hd.h.b = x;
    }
}

xdp(P(), C(), D()) main;
