// SPDX-License-Identifier: Apache-2.0
// The same on 13 and 33 bits, in the packet.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header X {
    bit<13> a;
    bit<33> b;
    bit<2>  flags;
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
        hd.x.flags = 0;
        if (hd.x.a + 1 < hd.x.a) hd.x.flags = hd.x.flags | 1;
        if (hd.x.b * 2 < hd.x.b) hd.x.flags = hd.x.flags | 2;
        hd.x.a = hd.x.a * 3 + 1;
        hd.x.b = hd.x.b - 2;
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
