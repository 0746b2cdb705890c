// SPDX-License-Identifier: Apache-2.0
// At most one member of a union is valid: assigning, extracting and setValid clear the rest.

#include "../include/skeleton.p4"

header H1 {
    bit<8> v;
}

header_union U {
    H4 four;
    H1 one;
}

struct UHdr {
    Eth eth;
    H4  h;
    U   u;
}

parser PU(packet_in p, out UHdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.h);
        transition select(hd.h.a) {
            0:       accept;
            1:       one;
            default: both;
        }
    }

    state one {
        p.extract(hd.u.one);
        transition accept;
    }

    state both {
        p.extract(hd.u.one);
        p.extract(hd.u.four);
        transition accept;
    }
}

control C(inout UHdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (hd.h.b == 1) {
            hd.u.four = hd.h;
        } else if (hd.h.b == 2) {
            hd.u.four.setValid();
            hd.u.one.setValid();
            hd.u.one.v = 0x77;
        }
        hd.h.c = hd.u.one.isValid() ? 8w1 : 8w0;
        hd.h.d = hd.u.four.isValid() ? 8w1 : 8w0;
    }
}

control DU(in UHdr hd, packet_out p) {
    apply {
        p.emit(hd.eth);
        p.emit(hd.h);
        p.emit(hd.u);
    }
}

xdp(PU(), C(), DU()) main;
