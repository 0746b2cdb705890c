// SPDX-License-Identifier: Apache-2.0
// A header that ends in 24, 40, 48 or 56 bits needs its own bytes and no more.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header A {
    bit<16> t;
    bit<48> m;
}

header B {
    bit<48> m;
    bit<8>  n;
}

header C3 {
    bit<8>  k;
    bit<24> v;
}

header C5 {
    bit<40> v;
}

header C7 {
    bit<56> v;
}

struct Hdr {
    Eth eth;
    A   a;
    B   b;
    C3  c3;
    C5  c5;
    C7  c7;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        transition select(hd.eth.type) {
            1: a;
            2: b;
            3: c3;
            5: c5;
            7: c7;
        }
    }

    state a {
        p.extract(hd.a);
        transition accept;
    }

    state b {
        p.extract(hd.b);
        transition accept;
    }

    state c3 {
        p.extract(hd.c3);
        transition accept;
    }

    state c5 {
        p.extract(hd.c5);
        transition accept;
    }

    state c7 {
        p.extract(hd.c7);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (hd.a.isValid()) {
            hd.a.m = hd.a.m + 1;
        } else if (hd.b.isValid()) {
            hd.b.m = hd.b.m + 1;
            hd.b.n = hd.b.n - 1;
        } else if (hd.c3.isValid()) {
            hd.c3.v = hd.c3.v + 1;
        } else if (hd.c5.isValid()) {
            hd.c5.v = hd.c5.v + 1;
        } else {
            hd.c7.v = hd.c7.v + 1;
        }
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
