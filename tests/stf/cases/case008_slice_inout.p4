// SPDX-License-Identifier: Apache-2.0
// A slice is the inout argument, the action writes the whole field: the slice is
// copied out into the value that the field has then.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action t(inout bit<1> s) {
        hd.h.a = 2;
        s = 1;
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        t(hd.h.a[0:0]);
    }
}

xdp(P(), C(), D()) main;
