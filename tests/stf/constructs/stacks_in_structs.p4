// SPDX-License-Identifier: Apache-2.0
// Stacks inside structs: a copy of the struct continues where the stack stood, and lastIndex of a
// stack that is chosen at run time is that of the one chosen.

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

struct Inner {
    B[3]   st;
    bit<8> n;
}

struct Hdr {
    Eth  eth;
    B    b;
    B[3] st;
    B    last;
}

Inner same(in Inner x) {
    Inner y = x;
    return y;
}

parser P(packet_in p, out Hdr hd) {
    Inner[2] ins;
    Inner    copied;
    bit<32>  last;

    state start {
        p.extract(hd.eth);
        p.extract(hd.b);
        p.extract(ins[1].st.next);
        p.extract(ins[1].st.next);
        p.extract(ins[0].st.next);
        transition more;
    }

    state more {
        last = ins[hd.b.v].st.lastIndex;
        copied = same(ins[1]);
        p.extract(copied.st.next);
        hd.st = copied.st;
        hd.last.setValid();
        hd.last.v = (bit<8>) last + 0x10 * (bit<8>) copied.st.lastIndex;
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
