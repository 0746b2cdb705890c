// SPDX-License-Identifier: Apache-2.0
// Headers: both invalid are equal, one invalid are not, both valid by their fields.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        H4 x;
        H4 y;
        bit<8> r = 0;
        if (hd.h == hd.g) r = r | 1;
        if (x == y) r = r | 2;
        if (x == hd.h) r = r | 4;
        if (hd.h != hd.g) r = r | 8;
        x = hd.h;
        if (x == hd.h) r = r | 16;
        x.d = x.d + 1;
        if (x == hd.h) r = r | 32;
        hd.eth.dst = hd.eth.dst + (bit<48>)r;
    }
}

xdp(PG(), C(), D()) main;
