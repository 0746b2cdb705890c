// SPDX-License-Identifier: Apache-2.0
// A redirect goes out of the port that was written, and only then.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action send(bit<32> port) {
        o.output_action = xdp_action.XDP_REDIRECT;
        o.output_port = port;
    }

    action back() {
        o.output_action = xdp_action.XDP_TX;
        o.output_port = 3;
    }

    action pass() {
        o.output_action = xdp_action.XDP_PASS;
        o.output_port = 3;
    }

    table t {
        key = { hd.h.a : exact; }
        actions = { send; back; pass; NoAction; }
        const default_action = send(2);
        const entries = {
            0: send(0);
            1: send(1);
            3: back();
            4: pass();
        }
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        t.apply();
    }
}

xdp(P(), C(), D()) main;
