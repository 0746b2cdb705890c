// SPDX-License-Identifier: Apache-2.0
// A union's members do not share bytes: making one valid by setValid, extraction or assignment
// makes the others invalid.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header One {
    bit<8> a;
}

header Two {
    bit<8> a;
    bit<8> b;
}

header_union Either {
    One one;
    Two two;
}

struct Hdr {
    Eth    eth;
    One    what;
    Either u;
    One    valid;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.what);
        transition select(hd.what.a) {
            0: both;
            default: one;
        }
    }
    state both {
        p.extract(hd.u.two);
        transition one;
    }
    state one {
        p.extract(hd.u.one);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (hd.what.a == 2) {
            hd.u.two.setValid();
            hd.u.two.a = 1;
            hd.u.two.b = 2;
        } else if (hd.what.a == 3) {
            hd.u.two = { 3, 4 };
        } else if (hd.what.a == 4) {
            hd.u.two.setInvalid();
        }
        hd.valid = { (bit<8>) (bit<1>) hd.u.one.isValid() ++ (bit<8>) (bit<1>) hd.u.two.isValid() == 0x0100 ? 8w1 : hd.u.isValid() ? 8w2 : 0 };
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
