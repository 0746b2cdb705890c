// SPDX-License-Identifier: Apache-2.0
// Assigning a header copies its validity; assigning a struct copies each of its members.

#include "../include/skeleton.p4"

struct Two {
    H4 first;
    H4 second;
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        Two one;
        Two other;
        one.second = hd.h;
        if (hd.h.a == 1) {
            other = one;
        } else if (hd.h.a == 2) {
            other = { one.second, one.first };
        }
        hd.h = other.first;
        hd.g = other.second;
        if (hd.g.isValid()) {
            one.second.b = 0xEE;
            hd.g.c = one.second.c + 1;
        }
    }
}

xdp(P(), C(), D()) main;
