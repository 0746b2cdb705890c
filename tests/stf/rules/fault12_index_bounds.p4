// SPDX-License-Identifier: Apache-2.0
// A run-time index into a stack that is its size, and more, changes nothing and stops nothing.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header B {
    bit<8> v;
}

struct Hdr {
    Eth  eth;
    B    index;
    B[3] st;
    B    after;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.index);
        p.extract(hd.st.next);
        p.extract(hd.st.next);
        p.extract(hd.st.next);
        p.extract(hd.after);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.st[hd.index.v].v = 0x77;
        hd.st[hd.index.v].setInvalid();
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
