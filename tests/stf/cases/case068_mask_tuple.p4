// SPDX-License-Identifier: Apache-2.0
// Masks, values and don't cares side by side in a tuple: a value without a mask must be
// equal in all bits.

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
    bit<16> a;
    bit<16> b;
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
        transition select(hd.x.a, hd.x.b) {
            (0x012f &&& 0xffff, 0x0456): s1;
            (0x0120 &&& 0xfff0, 0x0456 &&& 0x00ff): s2;
            (0xff00 &&& 0x0f00, _): s3;
            (_, 0xffff): s4;
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
