// SPDX-License-Identifier: Apache-2.0
// Extraction into the element of a stack that a run-time index names; past the end it is read and
// goes nowhere.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Item {
    bit<8> index;
    bit<8> v;
}

struct Hdr {
    Eth     eth;
    Item[3] items;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.items[p.lookahead<bit<8>>()]);
        p.extract(hd.items[p.lookahead<bit<8>>()]);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (hd.items[1].isValid()) {
            hd.items[1].v = hd.items[1].v + 1;
        }
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
