// SPDX-License-Identifier: Apache-2.0
// Keys that are expressions: a slice, a validity, a constant.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action x(bit<8> v) {
        hd.h.b = v;
    }

    table t {
        key = {
            hd.h.a[3:0]    : exact @name("lo");
            hd.g.isValid() : exact @name("g");
            8w1            : exact @name("one");
        }
        actions = { x; NoAction; }
        default_action = NoAction();
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        t.apply();
    }
}

xdp(P(), C(), D()) main;
