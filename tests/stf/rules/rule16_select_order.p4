// SPDX-License-Identifier: Apache-2.0
// The labels of a select are tried in order; without a fit, and without a transition, the
// packet is rejected.

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
    One one;
    One two;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.one);
        transition select(hd.one.v) {
            0x10 &&& 0xF0: tens;
            0x15:          never;
            0x80..0x8F:    range;
            0x81:          never;
            0x99:          stop;
        }
    }

    state tens {
        hd.two = { 1 };
        transition accept;
    }

    state range {
        hd.two = { 2 };
        transition accept;
    }

    state never {
        hd.two = { 3 };
        transition accept;
    }

    state stop {
        hd.two = { 4 };
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
