// SPDX-License-Identifier: Apache-2.0
// An `out` header is invalid in the action and afterwards.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action t(out H4 x) {
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        t(hd.h);
    }
}

xdp(P(), C(), D()) main;
