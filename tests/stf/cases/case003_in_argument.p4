// SPDX-License-Identifier: Apache-2.0
// An `in` argument is evaluated before the call in the next argument changes it.

#include "../include/skeleton.p4"

bit<8> f3(in bit<8> x, in bit<8> y, out bit<8> z) {
    z = x | y;
    return 4;
}

bit<8> g3(out bit<8> w) {
    w = 3;
    return 1;
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        f3(hd.h.a, g3(hd.h.a), hd.h.b);
    }
}

xdp(P(), C(), D()) main;
