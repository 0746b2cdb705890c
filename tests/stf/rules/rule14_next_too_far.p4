// SPDX-License-Identifier: Apache-2.0
// The third element of a stack of two is error.StackOutOfBounds: the packet is rejected.

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

header Item {
    bit<7> value;
    bit<1> last;
}

struct Hdr {
    Eth     eth;
    H4      h;
    Item[2] st;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.h);
        transition item;
    }

    state item {
        p.extract(hd.st.next);
        transition select(hd.st.last.last) {
            0: item;
            1: accept;
        }
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd.eth);
        p.emit(hd.h);
        p.emit(hd.st);
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.h.a = 1;
    }
}

xdp(P(), C(), D()) main;
