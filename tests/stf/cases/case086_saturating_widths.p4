// SPDX-License-Identifier: Apache-2.0
// Saturating arithmetic on 4, 32 and 64 bits.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header X {
    bit<4>  a;
    bit<4>  b;
    bit<32> c;
    bit<32> d;
    bit<64> e;
    bit<64> f;
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
        hd.x = { hd.x.a |+| hd.x.b, hd.x.a |-| hd.x.b, hd.x.c |+| hd.x.d,
                 hd.x.c |-| hd.x.d, hd.x.e |+| hd.x.f, hd.x.e |-| hd.x.f };
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
