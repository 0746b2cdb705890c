// SPDX-License-Identifier: Apache-2.0
// The width of a field is an expression: 99 bits.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

const int TEN = 10;

header X {
    bit<((TEN == 1 ? 1 : TEN + 1) * (8 + 1))> f;
    bit<5> rest;
}

struct Hdr {
    Eth eth;
    X   x;
    X   y;
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
        hd.y = hd.x;
        hd.y.rest = ~hd.x.rest;
        if (hd.x.f[98:96] == 5) {
            hd.x.rest = 0b10101;
        }
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
