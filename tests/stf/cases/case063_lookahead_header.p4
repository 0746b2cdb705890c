// SPDX-License-Identifier: Apache-2.0
// lookahead of a whole header leaves the place where it was.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Pair {
    bit<8> x;
    bit<8> y;
}

struct Hdr {
    Eth  eth;
    Pair pair;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        Pair next = p.lookahead<Pair>();
        transition select(next.y) {
            1:       take;
            default: accept;
        }
    }

    state take {
        p.extract(hd.pair);
        hd.pair.x = hd.pair.x + 1;
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
