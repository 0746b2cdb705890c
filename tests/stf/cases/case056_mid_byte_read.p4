// SPDX-License-Identifier: Apache-2.0
// A field of 16 bits that lies in three bytes: each field is read, and the header
// emitted as it came.

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

header Seen {
    bit<8>  p;
    bit<8>  q;
    bit<8>  r;
    bit<16> s;
    bit<8>  t;
}

struct Hdr {
    Eth  eth;
    Seen seen;
    X    x;
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
        hd.seen = { (bit<8>)hd.x.p, (bit<8>)hd.x.q, (bit<8>)hd.x.r, hd.x.s, (bit<8>)hd.x.t };
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
