// SPDX-License-Identifier: Apache-2.0
// setInvalid on any member invalidates the union; setValid on one clears the other.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Short {
    bit<8> a;
}

header Long {
    bit<8> a;
    bit<8> b;
}

header_union U {
    Short x;
    Long  y;
}

struct Hdr {
    Eth   eth;
    Short kind;
    U     u;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.kind);
        transition select(hd.kind.a[0:0]) {
            0: short;
            1: long;
        }
    }

    state short {
        p.extract(hd.u.x);
        transition accept;
    }

    state long {
        p.extract(hd.u.y);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (hd.kind.a[7:4] == 1) {
            hd.u.x.setInvalid();
        } else if (hd.kind.a[7:4] == 2) {
            hd.u.y.setInvalid();
        } else if (hd.kind.a[7:4] == 3) {
            hd.u.x.setValid();
            hd.u.x.a = 0x33;
        } else if (hd.kind.a[7:4] == 4) {
            hd.u.y.setValid();
            hd.u.y = { 0x44, 0x45 };
        } else if (hd.kind.a[7:4] == 5) {
            hd.kind.a = hd.u.x.isValid() ? 8w1 : (hd.u.y.isValid() ? 8w2 : 8w3);
        }
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd.eth);
        p.emit(hd.kind);
        p.emit(hd.u);
    }
}

xdp(P(), C(), D()) main;
