// SPDX-License-Identifier: Apache-2.0
// extract and lookahead of more than there is reject before anything else happens.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Six {
    bit<48> v;
}

struct Hdr {
    Eth eth;
    Six six;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        transition select(hd.eth.type) {
            0x88b5:  take;
            default: look;
        }
    }

    state take {
        p.extract(hd.six);
        transition accept;
    }

    state look {
        transition select(p.lookahead<bit<16>>()) {
            1:       accept;
            default: take;
        }
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
