// SPDX-License-Identifier: Apache-2.0
// A deparser that emits less than came in, and under a condition.

#include "../include/skeleton.p4"

control E(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd.eth);
        if (hd.h.a == 1) {
            p.emit(hd.h);
        }
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.h.b = hd.h.b + 1;
    }
}

xdp(PG(), C(), E()) main;
