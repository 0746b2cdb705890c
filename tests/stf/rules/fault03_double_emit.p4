// SPDX-License-Identifier: Apache-2.0
// A header that is emitted twice, with a changed field and a wide one, has the same bytes both times.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.h.b = hd.h.a + 1;
        hd.eth.type = 0x88b6;
    }
}

control Twice(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd.eth);
        p.emit(hd.h);
        p.emit(hd.h);
        p.emit(hd.eth);
    }
}

xdp(P(), C(), Twice()) main;
