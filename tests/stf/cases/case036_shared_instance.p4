// SPDX-License-Identifier: Apache-2.0
// One instance of a control, passed to the constructors of two others.

#include "../include/skeleton.p4"

control Step(inout bit<16> x);

control A(inout bit<16> x) {
    apply {
        x = x + 1;
    }
}

control Twice(inout bit<16> x)(Step next) {
    apply {
        x = x << 1;
        next.apply(x);
    }
}

control Eightfold(inout bit<16> x)(Step next) {
    apply {
        x = x << 3;
        next.apply(x);
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    A() a;
    Twice(a) twice;
    Eightfold(a) eightfold;

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        bit<16> x = hd.h.a ++ hd.h.b;
        twice.apply(x);
        eightfold.apply(x);
        hd.h.a = x[15:8];
        hd.h.b = x[7:0];
    }
}

xdp(P(), C(), D()) main;
