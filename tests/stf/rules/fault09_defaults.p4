// SPDX-License-Identifier: Apache-2.0
// Defaults and entries are in force from the first packet, nobody writes them first.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action mark(bit<8> v) {
        hd.h.d = v;
    }

    action add(bit<8> v) {
        hd.h.c = hd.h.c + v;
    }

    table first {
        key = { hd.h.a : exact; }
        actions = { mark; NoAction; }
        default_action = mark(0x42);
    }

    table second {
        key = { hd.h.b : exact; }
        actions = { add; NoAction; }
        default_action = add(1);
        const entries = {
            7: add(7);
        }
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        first.apply();
        second.apply();
    }
}

xdp(P(), C(), D()) main;
