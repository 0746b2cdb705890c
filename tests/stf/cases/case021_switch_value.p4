// SPDX-License-Identifier: Apache-2.0
// A switch over a value: fall through, default, the first label that fits.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        switch (hd.h.a) {
            1:
            2: { hd.h.b = 1; }
            0xFF: { hd.h.b = 2; }
            default: { hd.h.b = 3; }
        }
    }
}

xdp(P(), C(), D()) main;
