// SPDX-License-Identifier: Apache-2.0
// A slice has its width and no more; assigning to one leaves the other bits.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        bit<8> r = 0;
        if (hd.h.a[2:1] == 3) r = r | 1;
        if (hd.h.a[1:1] == 1) r = r | 2;
        if (hd.h.a[7:4] + hd.h.a[3:0] == 0) r = r | 4;
        if (hd.h.a[7:7] == 0) r = r | 8;
        hd.h.b[5:2] = hd.h.a[3:0];
        hd.h.c[7:7] = 1;
        hd.h.c[0:0] = 0;
        hd.h.d = r;
    }
}

xdp(P(), C(), D()) main;
