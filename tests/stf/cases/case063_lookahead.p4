// SPDX-License-Identifier: Apache-2.0
// lookahead of 1, 4, 12 and 24 bits from the same place, at the end of the packet too.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Kind {
    bit<4>  kind;
    bit<12> rest;
}

header Seen {
    bit<8>  one;
    bit<8>  four;
    bit<16> twelve;
    bit<24> all;
}

struct Hdr {
    Eth  eth;
    Seen seen;
    Kind kind;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        hd.seen.setValid();
        hd.seen.one = (bit<8>)p.lookahead<bit<1>>();
        hd.seen.four = (bit<8>)p.lookahead<bit<4>>();
        hd.seen.twelve = (bit<16>)p.lookahead<bit<12>>();
        hd.seen.all = 0;
        transition select(p.lookahead<bit<4>>()) {
            0xf:     long;
            default: short;
        }
    }

    state long {
        hd.seen.all = p.lookahead<bit<24>>();
        transition short;
    }

    state short {
        p.extract(hd.kind);
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
