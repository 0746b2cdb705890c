// SPDX-License-Identifier: Apache-2.0
// advance skips bytes that are then in no header: they do not come out again. length is
// that of the whole packet.

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
    Eth eth;
    One len;
    One one;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        hd.len = { p.length()[7:0] };
        p.extract(hd.eth);
        p.advance(32);
        transition select(p.length() > 60) {
            true:  long;
            false: accept;
        }
    }

    state long {
        p.extract(hd.one);
        hd.one.v = 0x99;
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
