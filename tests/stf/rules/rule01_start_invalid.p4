// SPDX-License-Identifier: Apache-2.0
// Headers are invalid when the parser starts, locals when the control does, in every packet.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        H4 x;
        bit<8> seen = 0;
        if (hd.g.isValid()) seen = seen | 1;
        if (x.isValid()) seen = seen | 2;
        x = hd.h;
        hd.g = x;
        hd.g.a = seen;
    }
}

xdp(P(), C(), D()) main;
