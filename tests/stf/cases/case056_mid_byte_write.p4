// SPDX-License-Identifier: Apache-2.0
// The same header with its fields written: the neighbours in a byte stay.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header X {
    bit<1>  p;
    bit<3>  q;
    bit<2>  r;
    bit<16> s;
    bit<2>  t;
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
        if (hd.x.p == 0) {
            hd.x.s = 0x1234;
        } else {
            hd.x.p = 0;
            hd.x.q = hd.x.q + 1;
            hd.x.r = ~hd.x.r;
            hd.x.s = hd.x.s + 1;
            hd.x.t = hd.x.t + 3;
        }
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
