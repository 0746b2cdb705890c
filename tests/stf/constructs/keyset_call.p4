// SPDX-License-Identifier: Apache-2.0
// Calls of functions as labels of a select, alone, in a mask and in a range.

#include "../include/skeleton.p4"

bit<8> twice(in bit<8> v) {
    bit<8> r = v;
    if (v == 0x80) {
        return 7;
    }
    r = r + v;
    return r;
}

parser Q(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.h);
        transition select(hd.h.a, hd.h.b) {
            (twice(hd.h.b), _): more;
            (_, twice(hd.h.c) &&& 0xf0): more;
            (3 .. twice(hd.h.d), 0x55): more;
            _: accept;
        }
    }

    state more {
        p.extract(hd.g);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.h.d = hd.g.isValid() ? 8w1 : 8w2;
    }
}

xdp(Q(), C(), D()) main;
