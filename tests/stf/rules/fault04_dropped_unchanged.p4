// SPDX-License-Identifier: Apache-2.0
// A header changed in a packet that is dropped, and in one that is not.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.h.b = hd.h.b + 1;
        if (hd.h.a == 0) {
            hd.h.c = 9;
            o.output_action = xdp_action.XDP_DROP;
        }
    }
}

xdp(P(), C(), D()) main;
