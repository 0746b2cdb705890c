// SPDX-License-Identifier: Apache-2.0
// Two invalid headers are equal, a valid and an invalid one are not, whatever their fields.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        H4 x = hd.h;
        H4 y = hd.h;
        bit<8> r = 0;
        if (x == y) r = r | 1;
        y.c = y.c + 1;
        if (x == y) r = r | 2;
        x.setInvalid();
        y = hd.h;
        if (x == y) r = r | 4;
        y.setInvalid();
        if (x == y) r = r | 8;
        x = { 1, 2, 3, 4 };
        x.setInvalid();
        if (x == y) r = r | 16;
        hd.h.a = r;
    }
}

xdp(P(), C(), D()) main;
