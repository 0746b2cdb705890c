// SPDX-License-Identifier: Apache-2.0
// Two shifts one after the other that together are more than the amount can hold.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        bit<64> v = 64w0xFFFFFFFFFFFFFFFF;
        v = (v >> 8w200) >> 8w100;
        hd.h.b = v[7:0];
        bit<64> w = 64w0xFF;
        w = (w >> hd.h.a) >> hd.h.a;
        hd.h.c = w[7:0];
        bit<64> x = 64w0xFF;
        x = (x << hd.h.a) << hd.h.a;
        hd.h.d = x[63:56];
    }
}

xdp(P(), C(), D()) main;
