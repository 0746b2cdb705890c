// SPDX-License-Identifier: Apache-2.0
// Writing a field of an invalid header makes nothing valid and changes nothing else.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.g.a = 0x11;
        hd.g.d = 0x22;
        if (hd.g.isValid()) {
            hd.h.a = 0xEE;
        }
        hd.g.b = hd.h.b;
        hd.h.c = hd.h.c + 1;
    }
}

xdp(P(), C(), D()) main;
