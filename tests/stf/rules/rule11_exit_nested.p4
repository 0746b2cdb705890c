// SPDX-License-Identifier: Apache-2.0
// `exit` in a sub-control ends all controls around it; the deparser still runs. An interrupted
// condition, assignment or switch does not complete.

#include "../include/skeleton.p4"

control Inner(inout H4 h, inout bit<8> count) {
    action stop() {
        h.c = 0xCC;
        exit;
    }

    table t {
        key = { h.b : exact; }
        actions = { stop; NoAction; }
        const default_action = NoAction();
        const entries = {
            1: stop();
            4: NoAction();
        }
    }

    apply {
        count = count + 1;
        if (h.a == 1) {
            h.d = t.apply().hit ? 8w1 : 8w2;
        } else if (h.a == 2) {
            switch (t.apply().action_run) {
                stop: { h.d = 3; }
                NoAction: { h.d = 4; }
            }
        } else if (h.a == 3) {
            exit;
        }
        count = count + 1;
    }
}

control Middle(inout H4 h, inout bit<8> count) {
    Inner() inner;

    apply {
        inner.apply(h, count);
        count = count + 0x10;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    Middle() middle;

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.g = { 1, 2, 3, 4 };
        middle.apply(hd.h, hd.g.d);
        hd.g.a = 0x99;
    }
}

xdp(P(), C(), D()) main;
