// SPDX-License-Identifier: Apache-2.0
// Copying a header copies its validity.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        H4 x;
        x = hd.h;
        x.a = 2;
        if (x.isValid()) {
            hd.h.b = x.a;
        }
    }
}

xdp(P(), C(), D()) main;
