// SPDX-License-Identifier: Apache-2.0
// Two fields of a key with the same last name, and one field twice.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action mark(bit<8> v) {
        hd.h.d = v;
    }

    table t {
        key = {
            hd.h.a  : exact;
            hd.g.a  : exact;
            hd.h.b  : exact @name("b");
            hd.h.b  : exact @name("b_again");
        }
        actions = { mark; NoAction; }
        default_action = NoAction();
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        t.apply();
    }
}

xdp(PG(), C(), D()) main;
