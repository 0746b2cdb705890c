// SPDX-License-Identifier: Apache-2.0
// An invalid header as a value.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (hd.h.a == 1) {
            hd.h = {#};
        } else if (hd.h.a == 2 && hd.g == {#}) {
            hd.h.b = 9;
        }
    }
}

xdp(P(), C(), D()) main;
