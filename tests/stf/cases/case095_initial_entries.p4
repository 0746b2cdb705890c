// SPDX-License-Identifier: Apache-2.0
// Entries that are not const: the control plane adds to them and changes them.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action mark(bit<8> v) {
        hd.h.d = v;
    }

    table t {
        key = { hd.h.a : exact; }
        actions = { mark; NoAction; }
        default_action = NoAction();
        entries = {
            1: mark(1);
            2: mark(2);
        }
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        t.apply();
    }
}

xdp(P(), C(), D()) main;
