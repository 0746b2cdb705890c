// SPDX-License-Identifier: Apache-2.0
// As before, with products, concatenation and a comparison of two equal calls.

#include "../include/skeleton.p4"

bit<8> se(inout bit<8> v) {
    v = 1;
    return 7;
}

bool sb(inout bit<8> v) {
    v = 1;
    return true;
}

bit<8> next(inout bit<8> v) {
    v = v + 1;
    return v;
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        bit<8> t = 8w0 * se(hd.h.a);
        t = (16w1 ++ se(hd.h.b))[15:8];
        bool same = next(hd.h.c) == next(hd.h.c);
        hd.h.d = same ? 8w0xEE : t;
    }
}

xdp(P(), C(), D()) main;
