// SPDX-License-Identifier: Apache-2.0
// A change of sign keeps the bits, a change of width keeps the sign; the left of ++ is high.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header X {
    bit<8>  u;
    int<8>  s;
}

header Y {
    int<16> wider;
    bit<16> zero;
    int<4>  narrow;
    bit<4>  low;
    bit<16> joined;
    int<16> both;
    bit<8>  less;
    bit<8>  slice;
}

struct Hdr {
    Eth eth;
    X   x;
    Y   y;
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
        hd.y.setValid();
        hd.y.wider = (int<16>)(int<8>)hd.x.u;
        hd.y.zero = (bit<16>)hd.x.u;
        hd.y.narrow = (int<4>)hd.x.s;
        hd.y.low = (bit<4>)hd.x.u;
        hd.y.joined = hd.x.u ++ (bit<8>)hd.x.s;
        hd.y.both = hd.x.s ++ hd.x.s;
        hd.y.less = hd.x.s < 0 ? 8w1 : 8w0;
        hd.y.slice = (bit<8>)hd.x.s[7:4];
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
