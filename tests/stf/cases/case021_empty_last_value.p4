// SPDX-License-Identifier: Apache-2.0
// The same in a switch over a value.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        switch (hd.h.a) {
            8w1:
        }
        hd.h.d = 9;
    }
}

xdp(P(), C(), D()) main;
