// SPDX-License-Identifier: Apache-2.0
// Masks on a single bit, and masks of all and of no bits.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header One {
    bit<8> v;
}

header X {
    bit<1>  one;
    bit<7>  seven;
}

struct Hdr {
    Eth eth;
    One n;
    X   x;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.x);
        transition select(hd.x.one, hd.x.seven) {
            (1 &&& 1, 0x7f &&& 0x7f): s1;
            (1 &&& 0, 0x40 &&& 0x40): s2;
            (0 &&& 1, 1 &&& 0): s3;
            (1, 0 &&& 0x3e): s4;
            default: s5;
        }
    }

    state s1 {
        hd.n = { 1 };
        transition accept;
    }

    state s2 {
        hd.n = { 2 };
        transition accept;
    }

    state s3 {
        hd.n = { 3 };
        transition accept;
    }

    state s4 {
        hd.n = { 4 };
        transition accept;
    }

    state s5 {
        hd.n = { 5 };
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
