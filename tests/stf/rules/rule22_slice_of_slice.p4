// SPDX-License-Identifier: Apache-2.0
// Slices of slices, of sums and of 64 bits.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        bit<64> w = hd.eth.dst ++ hd.h.a ++ hd.h.b;
        hd.h.c = w[47:8][15:8];
        hd.h.d = (hd.h.a + hd.h.b)[7:4] ++ w[63:60];
        w[39:8] = 0x11223344;
        hd.h.a = w[15:8];
        hd.h.b = w[47:40];
    }
}

xdp(P(), C(), D()) main;
