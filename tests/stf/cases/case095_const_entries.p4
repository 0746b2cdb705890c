// SPDX-License-Identifier: Apache-2.0
// Entries of the program are there from the first packet.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action mark(bit<8> v) {
        hd.h.d = v;
    }

    table t {
        key = { hd.h.a : exact; }
        actions = { mark; NoAction; }
        const default_action = NoAction();
        const entries = {
            0x00: mark(1);
            0x7F: mark(2);
            0xFF: mark(0xFF);
        }
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        t.apply();
    }
}

xdp(P(), C(), D()) main;
