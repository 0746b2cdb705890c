// SPDX-License-Identifier: Apache-2.0
// Keys whose fields leave gaps: 48 and 32 bits, 8 and 16, 32 and 8, 3 and 5.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header X {
    bit<48> a;
    bit<32> b;
    bit<8>  c;
    bit<16> d;
    bit<3>  e;
    bit<5>  f;
    bit<8>  hits;
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
    action hit(bit<8> n) {
        hd.x.hits = hd.x.hits | n;
    }

    table t1 {
        key = {
            hd.x.a : exact @name("a");
            hd.x.b : exact @name("b");
        }
        actions = { hit; NoAction; }
        default_action = NoAction();
    }

    table t2 {
        key = {
            hd.x.c : exact @name("c");
            hd.x.d : exact @name("d");
        }
        actions = { hit; NoAction; }
        default_action = NoAction();
    }

    table t3 {
        key = {
            hd.x.b : exact @name("b");
            hd.x.c : exact @name("c");
        }
        actions = { hit; NoAction; }
        default_action = NoAction();
    }

    table t4 {
        key = {
            hd.x.e : exact @name("e");
            hd.x.f : exact @name("f");
        }
        actions = { hit; NoAction; }
        default_action = NoAction();
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        t1.apply();
        t2.apply();
        t3.apply();
        t4.apply();
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
