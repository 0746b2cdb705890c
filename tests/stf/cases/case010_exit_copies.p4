// SPDX-License-Identifier: Apache-2.0
// `exit` in an action still copies out, then nothing else of the control runs.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action t(inout bit<8> v) {
        v = 9;
        exit;
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        t(hd.h.a);
        hd.h.b = 1;
    }
}

xdp(P(), C(), D()) main;
