// SPDX-License-Identifier: Apache-2.0
// Extracting into a header again overwrites it; a stack is emitted in the order of its index,
// without its invalid elements.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header One {
    bit<8> v;
}

struct Hdr {
    Eth    eth;
    One[3] st;
    One    one;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.one);
        p.extract(hd.st[2]);
        p.extract(hd.st[0]);
        p.extract(hd.one);
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
