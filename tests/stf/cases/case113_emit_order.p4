// SPDX-License-Identifier: Apache-2.0
// Headers emitted in another order than they came in, one of them invalid.

#include "../include/skeleton.p4"

control E(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd.g);
        p.emit(hd.h);
        p.emit(hd.eth);
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (hd.h.a == 9) {
            hd.h.setInvalid();
        }
        hd.g.d = 0xDD;
    }
}

xdp(PG(), C(), E()) main;
