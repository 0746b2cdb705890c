// SPDX-License-Identifier: Apache-2.0
// Bitwise operators bind tighter than comparisons, unlike in C; the rest is as in C.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        bit<8> r = 0;
        if (hd.h.a & hd.h.b == hd.h.c) r = r | 1;
        if ((hd.h.a | hd.h.b) & hd.h.c == 0x10) r = r | 2;
        if (hd.h.a | hd.h.b & hd.h.c == 0x10) r = r | 4;
        if (-(hd.h.a - hd.h.b) == 1) r = r | 8;
        if (!(hd.h.a == hd.h.b)) r = r | 16;
        if ((hd.h.a ++ hd.h.b)[11:4] == 0x21) r = r | 32;
        if (hd.h.a ^ hd.h.b & hd.h.c | 1 == 0x11) r = r | 64;
        if (hd.h.a + hd.h.b << 1 == 0x62) r = r | 128;
        hd.h.d = r;
    }
}

xdp(P(), C(), D()) main;
