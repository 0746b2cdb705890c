// SPDX-License-Identifier: Apache-2.0
// Side effects survive when the value does not matter; a short circuit runs none.

#include "../include/skeleton.p4"

bit<8> se(inout bit<8> v) {
    v = 1;
    return 7;
}

bool sb(inout bit<8> v) {
    v = 1;
    return true;
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        bit<8> t = 0 & se(hd.h.a);
        t = 8w0 >> se(hd.h.b);
        bool q = true || sb(hd.h.c);
        q = false && sb(hd.h.d);
    }
}

xdp(P(), C(), D()) main;
