// SPDX-License-Identifier: Apache-2.0
// A redirect over two interfaces, in both directions.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_action = xdp_action.XDP_REDIRECT;
        o.output_port = i.input_port == 0 ? 32w1 : 32w0;
        hd.h.a = hd.h.a + 1;
    }
}

xdp(P(), C(), D()) main;
