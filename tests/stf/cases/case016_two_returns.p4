// SPDX-License-Identifier: Apache-2.0
// One function, inlined twice in one expression, has two return values.

#include "../include/skeleton.p4"

bit<8> pick(in bit<8> v) {
    if (v > 3) {
        return 1;
    }
    return 2;
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.h.c = pick(hd.h.a) * 16 + pick(hd.h.b);
    }
}

xdp(P(), C(), D()) main;
