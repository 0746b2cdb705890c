// SPDX-License-Identifier: Apache-2.0
// Copy-out also happens when the callee returns early or exits.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action early(inout bit<8> x) {
        x = 5;
        if (x == 5) {
            return;
        }
        x = 6;
    }

    action leave(inout bit<8> x) {
        x = 7;
        if (x == 7) {
            exit;
        }
        x = 8;
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        early(hd.h.a);
        if (hd.h.b == 1) {
            leave(hd.h.c);
        }
        hd.h.d = 0x44;
    }
}

xdp(P(), C(), D()) main;
