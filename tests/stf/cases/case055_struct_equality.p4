// SPDX-License-Identifier: Apache-2.0
// Structs and tuples are equal when each field is.

#include "../include/skeleton.p4"

struct Pair {
    bit<8> x;
    bit<8> y;
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        Pair p = { hd.h.a, hd.h.b };
        Pair q = { hd.h.c, hd.h.d };
        bit<8> r = p == q ? 8w1 : 8w0;
        tuple<bit<8>, bit<8>> s = { hd.h.a, hd.h.b };
        tuple<bit<8>, bit<8>> t = { hd.h.c, hd.h.d };
        if (s != t) {
            r = r | 2;
        }
        hd.h.a = r;
    }
}

xdp(P(), C(), D()) main;
