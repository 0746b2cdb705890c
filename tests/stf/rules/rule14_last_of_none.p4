// SPDX-License-Identifier: Apache-2.0
// `last` of a stack that has no element yet rejects the packet.

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
    Item[2] st;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        transition select(hd.eth.type) {
            0x88b5:  first;
            default: look;
        }
    }

    state first {
        p.extract(hd.st.next);
        transition look;
    }

    state look {
        transition select(hd.st.last.v) {
            1:       accept;
            default: second;
        }
    }

    state second {
        p.extract(hd.st.next);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (hd.st[1].isValid()) {
            hd.st[1].v = 0x99;
        } else {
            hd.st[0].v = 0x77;
        }
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
