// SPDX-License-Identifier: Apache-2.0
// An enum without numbers: assigned, compared, passed to an action and a function.

#include "../include/skeleton.p4"

enum Colour {
    Red,
    Green,
    Blue
}

Colour next(in Colour colour) {
    if (colour == Colour.Red) {
        return Colour.Green;
    }
    return Colour.Blue;
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    Colour colour = Colour.Red;

    action paint(in Colour with, inout bit<8> v) {
        if (with != Colour.Red) {
            v = v + 1;
        }
        if (with == Colour.Blue) {
            v = v + 0x10;
        }
    }

    apply {
        o.output_port = 0;
        o.output_action = hd.h.a == 0 ? xdp_action.XDP_PASS : xdp_action.XDP_TX;
        if (hd.h.a >= 1) colour = next(colour);
        if (hd.h.a >= 2) colour = next(colour);
        paint(colour, hd.h.b);
        if (o.output_action == xdp_action.XDP_PASS) {
            hd.h.c = 1;
        }
    }
}

xdp(P(), C(), D()) main;
