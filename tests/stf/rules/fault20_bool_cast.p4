// SPDX-License-Identifier: Apache-2.0
// A bit cast to bool and back; a bool from a comparison.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header X {
    bit<1> a;
    bit<1> b;
    bit<6> rest;
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
        bool a = (bool)hd.x.a;
        bool both = a && (bool)hd.x.b;
        hd.x.b = (bit<1>)!a;
        hd.x.rest = both ? 6w0x3F : (a ? 6w1 : 6w0);
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
