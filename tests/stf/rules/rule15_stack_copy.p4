// SPDX-License-Identifier: Apache-2.0
// Copying a stack copies how many elements it has been given.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Item {
    bit<8> v;
}

struct Hdr {
    Eth     eth;
    Item[3] a;
    Item[3] b;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.b.next);
        p.extract(hd.b.next);
        hd.a = hd.b;
        p.extract(hd.a.next);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
