// SPDX-License-Identifier: Apache-2.0
// Keys whose fields begin at odd places: 24, 40, 48, 56, 64 and 128 bits behind 8, 16 and
// others; exact, lpm and ternary.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header X {
    bit<8>   a;
    bit<24>  b;
    bit<48>  c;
    bit<128> d;
    bit<16>  e;
    bit<56>  f;
    bit<40>  g;
    bit<64>  h;
    bit<8>   hits;
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
            hd.x.a : exact @name("a");
            hd.x.c : exact @name("c");
        }
        actions = { hit; NoAction; }
        default_action = NoAction();
    }

    table t3 {
        key = {
            hd.x.a : exact @name("a");
            hd.x.d : exact @name("d");
        }
        actions = { hit; NoAction; }
        default_action = NoAction();
    }

    table t4 {
        key = {
            hd.x.e : exact @name("e");
            hd.x.c : exact @name("c");
            hd.x.b : exact @name("b");
        }
        actions = { hit; NoAction; }
        default_action = NoAction();
    }

    table t5 {
        key = {
            hd.x.b : exact @name("b");
            hd.x.c : exact @name("c");
            hd.x.f : exact @name("f");
            hd.x.g : exact @name("g");
        }
        actions = { hit; NoAction; }
        default_action = NoAction();
    }

    table t6 {
        key = {
            hd.x.g : exact @name("g");
            hd.x.d : exact @name("d");
            hd.x.h : exact @name("h");
        }
        actions = { hit; NoAction; }
        default_action = NoAction();
    }

    table t7 {
        key = {
            hd.x.a : exact @name("a");
            hd.x.d : lpm @name("d");
        }
        actions = { hit; NoAction; }
        default_action = NoAction();
    }

    table t8 {
        key = {
            hd.x.b : ternary @name("b");
            hd.x.d : ternary @name("d");
            hd.x.c : ternary @name("c");
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
        t5.apply();
        t6.apply();
        t7.apply();
        t8.apply();
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
