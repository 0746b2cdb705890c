// SPDX-License-Identifier: Apache-2.0
// A local header that nothing set is invalid, in every packet.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        H4 x;
        if (x.isValid()) {
            hd.h.a = 1;
        } else {
            hd.h.a = 2;
        }
        x = hd.h;
        hd.h.b = x.isValid() ? 8w1 : 8w0;
    }
}

xdp(P(), C(), D()) main;
