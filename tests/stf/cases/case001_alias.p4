// SPDX-License-Identifier: Apache-2.0
// Aliased inout arguments are copied out from left to right: the last one stays.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action t(inout bit<8> x, inout bit<8> y, inout bit<8> z) {
        y = 2;
        z = 0;
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        t(hd.h.a, hd.h.a, hd.h.a);
    }
}

xdp(P(), C(), D()) main;
