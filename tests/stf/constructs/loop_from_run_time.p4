// SPDX-License-Identifier: Apache-2.0
// Loops that start at a run-time value and step to a constant, up and down, with another condition
// beside it, left by `break`, and with a variable of the block around them.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        bit<8> turns = 0;
        for (bit<8> n = hd.h.a; n < 7; n += 3) {
            turns = turns + 1;
        }
        for (bit<4> n = hd.h.b[3:0]; 12 < n && hd.h.d != 0xff; n = n - 1) {
            if (hd.h.d == n ++ n) {
                break;
            }
            turns = turns + 0x10;
        }
        bit<8> k = hd.h.c;
        for (bit<8> one = 1, bit<8> two = one + one; one < two && k <= 5; k += 1) {
            hd.h.d = hd.h.d + k;
        }
        hd.h.a = turns;
        hd.h.b = k;
    }
}

xdp(P(), C(), D()) main;
