// SPDX-License-Identifier: Apache-2.0
// The place that an argument names is found before the next argument changes the index.

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

void f(inout bit<7> x, in bit<8> y) {
    x = y[6:0];
}

bit<8> g(inout bit<8> v) {
    v = v + 1;
    return 0x2A;
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        f(hd.st[hd.h.a[0:0]].value, g(hd.h.a));
    }
}

xdp(P(), C(), D()) main;
