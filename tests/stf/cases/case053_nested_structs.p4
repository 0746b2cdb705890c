// SPDX-License-Identifier: Apache-2.0
// Structs of structs of headers, emitted as a whole: members in order.

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

struct Pair {
    One first;
    One second;
}

struct Inner {
    Pair pair;
    One  single;
}

struct Hdr {
    Eth   eth;
    Inner inner;
    Pair  outer;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.outer.second);
        p.extract(hd.inner.single);
        p.extract(hd.inner.pair.second);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (hd.inner.single.v == 2) {
            hd.outer = hd.inner.pair;
        }
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
