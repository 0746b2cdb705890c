// SPDX-License-Identifier: Apache-2.0
// Two abstract methods of one name, of a generic extern, implemented in a parser with a variable
// of the parser; called as keys of a select, from left to right.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header B {
    bit<8> v;
    bit<8> w;
}

struct Hdr {
    Eth eth;
    B   b;
    B   c;
}

extern Sum<T> {
    Sum();
    abstract T add(in T x);
    abstract T add(in T x, in T y);
}

parser P(packet_in p, out Hdr hd) {
    bit<8> seen = 0;
    Sum<bit<8>>() sum = {
        bit<8> add(in bit<8> x) {
            seen = seen + x;
            return seen;
        }
        bit<8> add(in bit<8> x, in bit<8> y) {
            return this.add(x) + y;
        }
    };

    state start {
        p.extract(hd.eth);
        p.extract(hd.b);
        transition select(sum.add(hd.b.v), sum.add(hd.b.v, 1)) {
            (1, 3): more;
            default: accept;
        }
    }

    state more {
        p.extract(hd.c);
        hd.c.v = sum.add(1, 2);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o = { xdp_action.XDP_TX, 0 };
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
