// SPDX-License-Identifier: Apache-2.0
// The right side of && is evaluated after the action ran.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action s() {
        hd.h.a = 2;
    }

    action stop() {
        hd.h.a = 2;
        exit;
    }

    table t {
        key = { hd.h.d : exact; }
        actions = { s; stop; NoAction; }
        default_action = NoAction();
        const entries = {
            1: s();
            2: stop();
            3: NoAction();
        }
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (t.apply().hit && hd.h.a == 2) {
            hd.h.b = 1;
        }
        hd.h.c = 1;
    }
}

xdp(P(), C(), D()) main;
