// SPDX-License-Identifier: Apache-2.0
// -1 in an unsigned context is all ones, at the width of the context.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        bit<8> r = 0;
        if (8w255 == -1) r = r | 1;
        if (hd.h.a == -1) r = r | 2;
        if (hd.h.a[2:0] == -1) r = r | 4;
        hd.h.b = r;
        hd.h.c = -1;
        hd.h.d = -2 + 1;
    }
}

xdp(P(), C(), D()) main;
