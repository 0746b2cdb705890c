// SPDX-License-Identifier: Apache-2.0
// Ternary keys in an order that is not that of their widths.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action mark(bit<8> v) {
        hd.h.d = v;
    }

    table t {
        key = {
            hd.h.a[3:0] : ternary @name("four");
            hd.eth.dst  : ternary @name("mac");
            hd.h.b      : ternary @name("eight");
            hd.eth.type : exact @name("type");
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

xdp(P(), C(), D()) main;
