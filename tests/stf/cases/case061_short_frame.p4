// SPDX-License-Identifier: Apache-2.0
// A frame shorter than its first header, and one shorter than its second.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
    }
}

xdp(P(), C(), D()) main;
