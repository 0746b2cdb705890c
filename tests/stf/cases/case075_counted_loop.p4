// SPDX-License-Identifier: Apache-2.0
// A loop that counts down in a local variable; a fourth item is one too many for the stack.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Tlv {
    bit<8> kind;
    bit<8> value;
}

header Count {
    bit<8> n;
}

struct Hdr {
    Eth    eth;
    Count  count;
    Tlv[3] items;
}

parser P(packet_in p, out Hdr hd) {
    bit<8> left;

    state start {
        p.extract(hd.eth);
        p.extract(hd.count);
        left = hd.count.n;
        transition select(left) {
            0:       accept;
            default: item;
        }
    }

    state item {
        p.extract(hd.items.next);
        left = left - 1;
        transition select(left) {
            0:       accept;
            default: item;
        }
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (hd.items[2].isValid()) {
            hd.items[2].value = 0x33;
        } else if (hd.items[0].isValid()) {
            hd.items[0].kind = 0x11;
        }
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
