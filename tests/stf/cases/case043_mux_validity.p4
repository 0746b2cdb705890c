// SPDX-License-Identifier: Apache-2.0
// The condition chooses the header together with its validity.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        H4 none;
        H4 one = hd.h;
        one.d = 0x77;
        hd.g = hd.h.a == 1 ? one : none;
    }
}

xdp(P(), C(), D()) main;
