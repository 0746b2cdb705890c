// SPDX-License-Identifier: Apache-2.0
// Validity through the parameters and the result of a function.

#include "../include/skeleton.p4"

H4 swap(in H4 x) {
    H4 y;
    if (x.c == 3) {
        y = { x.d, x.c, x.b, x.a };
        y.b = x.b;
    }
    return y;
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.g = swap(hd.h);
        hd.h.a = hd.g.isValid() && hd.g.b == 2 ? 8w0xAA : 8w0xBB;
    }
}

xdp(P(), C(), D()) main;
