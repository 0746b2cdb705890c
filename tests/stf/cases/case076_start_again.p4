// SPDX-License-Identifier: Apache-2.0
// `start` is reached again from itself and from another state; two states have a local
// variable of the same name.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Item {
    bit<4> next;
    bit<4> v;
}

struct Hdr {
    Item[4] st;
    Eth     eth;
}

parser P(packet_in p, out Hdr hd) {
    bit<16> sum = 0;

    state start {
        p.extract(hd.st.next);
        transition select(hd.st.last.next) {
            0: start;
            1: other;
            2: ethernet;
        }
    }

    state other {
        bit<16> v = 1;
        p.extract(hd.st.next);
        sum = sum + v;
        transition start;
    }

    state ethernet {
        bit<16> v = 2;
        p.extract(hd.eth);
        hd.eth.type = hd.eth.type + sum + v;
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
