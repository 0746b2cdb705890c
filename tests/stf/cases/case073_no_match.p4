// SPDX-License-Identifier: Apache-2.0
// No label fits: the packet is rejected. A tuple of which one half fits does not fit.

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
    bit<8> a;
    bit<8> b;
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
            (1, 2): s1;
            (3, 4): s2;
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
