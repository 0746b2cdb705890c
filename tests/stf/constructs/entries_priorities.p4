// SPDX-License-Identifier: Apache-2.0
// Priorities that are given, and those between them that are counted: by 1, downwards where the
// largest wins, and by the table's priority_delta, upwards where the smallest wins. Entries of
// the control plane go between them.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action first(bit<8> v) {
        hd.h.c = v;
    }

    action second(bit<8> v) {
        hd.h.d = v;
    }

    table counted {
        key = { hd.h.a : ternary; }
        actions = { first; }
        entries = {
            0x01:             first(1);
            0x01 &&& 0x0f:    first(2);
            0x01 &&& 0x01:    first(3);
            _:                first(4);
        }
        const default_action = first(0);
        size = 16;
    }

    table smallest {
        key = { hd.h.a : exact; hd.h.b : ternary; }
        actions = { second; }
        largest_priority_wins = false;
        priority_delta = 10;
        entries = {
            const priority = 10: (0x01, 0x11 &&& 0xf):  second(1);
                                 (0x02, 0x81):          second(2); // 20
                                 (0x03, 0x10 &&& 0xf0): second(3); // 30
            const                (0x04, 0x20 &&& 0x2f): second(4); // 40
                  priority = 35: (0x04, 0x20 &&& 0xf0): second(5);
                                 (0x04, _):             second(6); // 45
        }
        const default_action = second(0);
        size = 16;
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        counted.apply();
        smallest.apply();
    }
}

xdp(P(), C(), D()) main;
