// SPDX-License-Identifier: Apache-2.0
// input_port is the port that the packet came in by.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action mark(bit<8> v) {
        hd.h.d = v;
    }

    table ports {
        key = { i.input_port : exact; }
        actions = { mark; NoAction; }
        const default_action = NoAction();
        const entries = {
            1: mark(0x11);
            3: mark(0x33);
        }
    }

    apply {
        o.output_port = i.input_port;
        o.output_action = xdp_action.XDP_TX;
        hd.h.a = i.input_port[7:0];
        hd.h.b = i.input_port[15:8];
        ports.apply();
    }
}

xdp(P(), C(), D()) main;
