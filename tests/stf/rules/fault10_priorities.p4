// SPDX-License-Identifier: Apache-2.0
// Entries with the priorities the other way round, and a table in which the smallest wins.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action mark(bit<8> v) {
        hd.h.d = v;
    }

    action also(bit<8> v) {
        hd.h.c = v;
    }

    table largest {
        key = { hd.h.a : ternary; }
        actions = { mark; NoAction; }
        default_action = NoAction();
        entries = {
            priority = 1: 0x00 &&& 0x00: mark(1);
            priority = 2: 0x10 &&& 0x10: mark(2);
            priority = 3: 0x11 &&& 0x11: mark(3);
        }
    }

    table smallest {
        key = { hd.h.a : ternary; }
        actions = { also; NoAction; }
        default_action = NoAction();
        largest_priority_wins = false;
        entries = {
            priority = 3: 0x00 &&& 0x00: also(1);
            priority = 2: 0x10 &&& 0x10: also(2);
            priority = 1: 0x11 &&& 0x11: also(3);
        }
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        largest.apply();
        smallest.apply();
    }
}

xdp(P(), C(), D()) main;
