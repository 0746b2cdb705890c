// SPDX-License-Identifier: Apache-2.0
// Copy-out undoes what the action wrote to the same field directly.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action t(inout bit<8> v) {
        hd.h.a = 7;
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        t(hd.h.a);
    }
}

xdp(P(), C(), D()) main;
