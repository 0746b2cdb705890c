// SPDX-License-Identifier: Apache-2.0
// Entries that a table with a prefix key, and an array, start with; one of each is const.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action mark(bit<8> v) {
        hd.h.d = v;
    }

    action note(bit<8> v) {
        hd.h.c = v;
    }

    table prefixes {
        key = { hd.h.a : lpm; }
        actions = { mark; NoAction; }
        default_action = NoAction();
        entries = {
            0x10 &&& 0xf0:       mark(1);
            const 0x12 &&& 0xfe: mark(2);
            0x12:                mark(3);
            _:                   mark(4);
        }
    }

    table cells {
        key = { hd.h.b : exact; }
        actions = { note; NoAction; }
        default_action = NoAction();
        entries = {
            0:       note(1);
            const 3: note(2);
        }
        implementation = array_table(4);
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        prefixes.apply();
        cells.apply();
    }
}

xdp(P(), C(), D()) main;
