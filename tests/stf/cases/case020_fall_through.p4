// SPDX-License-Identifier: Apache-2.0
// A label without a block shares the block of the next one.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action x() {
        hd.h.c = 1;
    }

    action y() {
        hd.h.c = 2;
    }

    action z() {
        hd.h.c = 3;
    }

    table t {
        key = { hd.h.a : exact; }
        actions = { x; y; z; NoAction; }
        const default_action = NoAction();
        const entries = {
            1: x();
            2: y();
            3: z();
        }
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        switch (t.apply().action_run) {
            x:
            y: { hd.h.b = 1; }
            z: { hd.h.b = 2; }
        }
    }
}

xdp(P(), C(), D()) main;
