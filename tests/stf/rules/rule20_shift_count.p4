// SPDX-License-Identifier: Apache-2.0
// The amount of a shift is as wide as it is: 256 is not 0.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header X {
    bit<8>  v;
    bit<16> n;
    bit<8>  left;
    bit<8>  right;
    bit<32> w;
    bit<64> d;
}

struct Hdr {
    Eth eth;
    X   x;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.x);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.x.left = hd.x.v << hd.x.n;
        hd.x.right = hd.x.v >> hd.x.n;
        hd.x.w = hd.x.w << hd.x.n;
        hd.x.d = hd.x.d >> hd.x.n;
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
