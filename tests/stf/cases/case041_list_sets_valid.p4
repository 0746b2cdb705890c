// SPDX-License-Identifier: Apache-2.0
// A list makes the header valid, writing a field does not.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (hd.h.a == 1) {
            hd.g = { 1, 2, 3, 4 };
        } else {
            hd.g.a = 1;
        }
    }
}

xdp(P(), C(), D()) main;
