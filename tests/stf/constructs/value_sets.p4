// SPDX-License-Identifier: Apache-2.0
// Parser value sets, which the control plane fills: of a number, and of a struct with fields that
// are matched in several ways; empty until then.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header H4 {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

struct Hdr {
    Eth eth;
    H4  h;
    H4  g;
}

struct Pair {
    @match(ternary)
    bit<8> first;
    bit<8> second;
}

parser P(packet_in p, out Hdr hd) {
    value_set<bit<16>>(4) types;
    value_set<Pair>(4) pairs;

    state start {
        p.extract(hd.eth);
        p.extract(hd.h);
        transition select(hd.eth.type) {
            0x0800: reject;
            types: more;
            default: accept;
        }
    }

    state more {
        transition select(hd.h.a, hd.h.b) {
            (1, 1): accept;
            pairs: last;
            (_, 9): reject;
            _: accept;
        }
    }

    state last {
        p.extract(hd.g);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.h.d = hd.g.isValid() ? 8w1 : 8w2;
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
