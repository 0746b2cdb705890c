// SPDX-License-Identifier: Apache-2.0
// &&, || and ?: evaluate only what they need, from left to right.

#include "../include/skeleton.p4"

bit<8> up(inout bit<8> v) {
    v = v + 1;
    return v;
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action count() {
        hd.h.b = hd.h.b + 1;
    }

    table t {
        key = { hd.h.a : exact; }
        actions = { count; }
        const default_action = count();
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        bool q = hd.h.a == 1 && t.apply().hit;
        q = hd.h.a == 2 || t.apply().hit;
        hd.h.c = hd.h.a == 3 ? up(hd.h.d) : 8w0;
        hd.h.c = hd.h.c + (hd.h.a == 3 ? 8w0 : up(hd.h.d));
    }
}

xdp(P(), C(), D()) main;
