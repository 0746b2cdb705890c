// SPDX-License-Identifier: Apache-2.0
// A field behind a part of variable length, up to 60 bytes: the offset stays bounded.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Base {
    bit<4> kind;
    bit<4> words;
}

header One {
    bit<8> v;
}

struct Hdr {
    Eth  eth;
    Base base;
    One  one;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.base);
        p.advance((bit<32>)hd.base.words * 32);
        p.extract(hd.one);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.one.v = hd.one.v + 1;
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd.eth);
        p.emit(hd.base);
        p.emit(hd.one);
    }
}

xdp(P(), C(), D()) main;
