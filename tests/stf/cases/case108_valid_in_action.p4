// SPDX-License-Identifier: Apache-2.0
// setValid, isValid and setInvalid in the actions of a table.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action add() {
        if (!hd.g.isValid()) {
            hd.g.setValid();
            hd.g = { 1, 2, 3, hd.h.a };
        }
    }

    action take() {
        hd.h.setInvalid();
    }

    action turn() {
        hd.g = hd.h;
        hd.h.setInvalid();
        if (hd.h.isValid()) {
            hd.g.a = 0xEE;
        }
    }

    table t {
        key = { hd.h.a : exact; }
        actions = { add; take; turn; NoAction; }
        const default_action = NoAction();
        const entries = {
            1: add();
            2: take();
            3: turn();
        }
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        t.apply();
        if (hd.g.isValid()) {
            hd.g.b = 0x99;
        }
    }
}

xdp(P(), C(), D()) main;
