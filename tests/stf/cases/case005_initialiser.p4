// SPDX-License-Identifier: Apache-2.0
// The elements of a list are evaluated from left to right.

#include "../include/skeleton.p4"

bit<8> set2(inout bit<8> v) {
    v = 2;
    return 7;
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.h = { hd.h.a, set2(hd.h.a), hd.h.a, 1 };
    }
}

xdp(P(), C(), D()) main;
