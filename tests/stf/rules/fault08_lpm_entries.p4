// SPDX-License-Identifier: Apache-2.0
// Entries of an lpm table keep their prefix length.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header X {
    bit<32> dst;
    bit<8>  v;
}

struct Hdr {
    Eth eth;
    X   x;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.x);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action mark(bit<8> v) {
        hd.x.v = v;
    }

    table t {
        key = { hd.x.dst : lpm; }
        actions = { mark; NoAction; }
        const default_action = NoAction();
        const entries = {
            0x0A000000 &&& 0xFF000000: mark(8);
            0x0A010000 &&& 0xFFFF0000: mark(16);
            0x0A010100 &&& 0xFFFFFF80: mark(25);
            0x0A010101:                mark(32);
        }
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        t.apply();
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
