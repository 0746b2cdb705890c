// SPDX-License-Identifier: Apache-2.0
// `length >= 1 or length <= 1` is always true, `>= 20 and <= 21` is not.

#include "../include/skeleton.p4"

struct Measured {
    Eth     eth;
    H4      h;
    bit<32> length;
}

parser PM(packet_in p, out Measured hd) {
    state start {
        hd.length = p.length();
        p.extract(hd.eth);
        transition select(p.length()) {
            0..17:   accept;
            default: more;
        }
    }

    state more {
        p.extract(hd.h);
        transition accept;
    }
}

control C(inout Measured hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_DROP;
        if (hd.length >= 1 || hd.length <= 1) {
            o.output_action = xdp_action.XDP_TX;
        }
        hd.h.a = hd.length >= 20 && hd.length <= 21 ? 8w1 : 8w0;
        hd.h.b = hd.length[7:0];
    }
}

control DM(in Measured hd, packet_out p) {
    apply {
        p.emit(hd.eth);
        p.emit(hd.h);
    }
}

xdp(PM(), C(), DM()) main;
