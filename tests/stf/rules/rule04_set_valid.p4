// SPDX-License-Identifier: Apache-2.0
// setValid makes a header valid and leaves the neighbours alone; setting it valid again
// keeps its fields; a list and setInvalid do as they say.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (hd.h.a == 1) {
            hd.g.setValid();
            hd.g.a = 0xAA;
            hd.g.b = 0xBB;
            hd.g.c = 0xCC;
            hd.g.d = 0xDD;
        } else if (hd.h.a == 2) {
            hd.h.setValid();
            hd.h.b = 0x99;
        } else if (hd.h.a == 3) {
            hd.g = { 1, 2, 3, 4 };
            if (!hd.g.isValid()) {
                hd.h.b = 0xEE;
            }
            hd.h.setInvalid();
        } else if (hd.h.a == 4) {
            hd.g = hd.h;
            hd.g.setInvalid();
            hd.g.setInvalid();
        }
    }
}

xdp(P(), C(), D()) main;
