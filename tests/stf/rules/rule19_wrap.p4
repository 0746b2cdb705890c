// SPDX-License-Identifier: Apache-2.0
// Sums, differences, products and negations wrap at the width, at every width.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header In {
    bit<3>  a;
    bit<3>  b;
    bit<7>  c;
    bit<7>  d;
    bit<4>  pad;
    bit<48> e;
}

header Out {
    bit<3>  sum;
    bit<3>  product;
    bit<7>  negated;
    bit<7>  difference;
    bit<7>  square;
    bit<48> inverse;
    bit<48> triple;
    bit<5>  pad;
}

struct Hdr {
    Eth eth;
    In  x;
    Out y;
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
        hd.y = { hd.x.a + hd.x.b, hd.x.a * hd.x.b, -hd.x.c, hd.x.c - hd.x.d,
                 hd.x.d * hd.x.d, ~hd.x.e, hd.x.e * 3, 0 };
        hd.x.setInvalid();
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
