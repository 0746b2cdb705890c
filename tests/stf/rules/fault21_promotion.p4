// SPDX-License-Identifier: Apache-2.0
// Sums of 8 and 16 bits in a comparison, a shift and a widening cast: C would keep more bits.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        bit<8> r = 0;
        bit<16> w = hd.h.a ++ hd.h.b;
        if (hd.h.a + hd.h.b == 44) r = r | 1;
        if (~hd.h.a == 0xFF) r = r | 2;
        if (hd.h.a + hd.h.b < hd.h.a) r = r | 4;
        if (w * w == 1) r = r | 8;
        if (hd.h.a - hd.h.b > 200) r = r | 16;
        if (hd.h.a * hd.h.b == 0) r = r | 32;
        if ((hd.h.a << 1) >> 1 == hd.h.a) r = r | 64;
        if (-hd.h.a == hd.h.a) r = r | 128;
        hd.h.c = (bit<8>)((bit<16>)(hd.h.a + hd.h.b) >> 4);
        hd.h.d = r;
    }
}

xdp(P(), C(), D()) main;
