// SPDX-License-Identifier: Apache-2.0
// Aliased arguments do not share storage in the callee.

#include "../include/skeleton.p4"

bit<8> f(inout bit<8> x, inout bit<8> y) {
    x = 1;
    y = 2;
    return x;
}

bit<8> g(out bit<8> x, in bit<8> y) {
    x = 9;
    return y;
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.h.b = f(hd.h.a, hd.h.a);
        hd.h.d = g(hd.h.c, hd.h.c);
    }
}

xdp(P(), C(), D()) main;
