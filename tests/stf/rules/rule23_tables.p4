// SPDX-License-Identifier: Apache-2.0
// Keys are evaluated in order before the lookup; a default that the program does not name is
// NoAction; action_run is the action that ran, hit or miss.

#include "../include/skeleton.p4"

bit<8> bump(inout bit<8> v) {
    v = v + 1;
    return v;
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action a(bit<8> v) {
        hd.h.c = v;
    }

    action b() {
        hd.h.c = hd.h.c + 0x40;
    }

    table ordered {
        key = {
            hd.h.a       : exact @name("before");
            bump(hd.h.a) : exact @name("bumped");
            hd.h.a       : exact @name("after");
        }
        actions = { a; NoAction; }
        const entries = {
            (1, 2, 2): a(0x11);
            (5, 6, 6): a(0x55);
        }
    }

    table run {
        key = { hd.h.b : exact; }
        actions = { a; b; }
        default_action = a(0x77);
        const entries = {
            1: b();
            2: a(0x22);
        }
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        ordered.apply();
        if (hd.h.b != 0) {
            switch (run.apply().action_run) {
                a: { hd.h.d = 1; }
                default: { hd.h.d = 2; }
            }
        }
    }
}

xdp(P(), C(), D()) main;
