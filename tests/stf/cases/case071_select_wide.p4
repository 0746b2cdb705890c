// SPDX-License-Identifier: Apache-2.0
// Two fields of 128 bits in one select, with masks.

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

header X {
    bit<128> src;
    bit<128> dst;
}

struct Hdr {
    Eth eth;
    One n;
    X   x;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.x);
        transition select(hd.x.src, hd.x.dst) {
            (0x20010db8000000000000000000000001, 0x20010db8000000000000000000000002): s1;
            (0x20010db8 << 96 &&& 0xffffffff << 96, 0xff << 120 &&& 0xff << 120): s2;
            (_, 0x1 &&& 0xffffffffffffffff): s3;
            default: s4;
        }
    }

    state s1 {
        hd.n = { 1 };
        transition accept;
    }

    state s2 {
        hd.n = { 2 };
        transition accept;
    }

    state s3 {
        hd.n = { 3 };
        transition accept;
    }

    state s4 {
        hd.n = { 4 };
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
