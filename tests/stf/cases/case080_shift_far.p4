// SPDX-License-Identifier: Apache-2.0
// Shifting by the width or more gives 0.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.h.b = hd.h.a << hd.h.c;
        hd.h.d = hd.h.a >> hd.h.c;
    }
}

xdp(P(), C(), D()) main;
