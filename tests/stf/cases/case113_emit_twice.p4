// SPDX-License-Identifier: Apache-2.0
// A header emitted twice is there twice, with the same bytes.

#include "../include/skeleton.p4"

control E(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd.eth);
        p.emit(hd.h);
        p.emit(hd.h);
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.h.a = hd.h.a + 1;
        hd.h.d[7:4] = 0xF;
    }
}

xdp(P(), C(), E()) main;
