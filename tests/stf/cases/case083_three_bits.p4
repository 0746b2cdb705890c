// SPDX-License-Identifier: Apache-2.0
// Arithmetic on 3 bits wraps at 3 bits, in conditions as well as in assignments.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        bit<3> x = hd.h.a[2:0];
        bit<3> y = hd.h.b[2:0];
        bit<3> next = x + 1;
        hd.h.c = (bit<8>)next;
        bit<8> r = 0;
        if (x + 1 == 0) r = r | 1;
        if (-x == 5) r = r | 2;
        if (~x == 0) r = r | 4;
        if (x * y == 1) r = r | 8;
        if (x - y == 7) r = r | 16;
        if (x + y > 3) r = r | 32;
        hd.h.d = r;
    }
}

xdp(P(), C(), D()) main;
