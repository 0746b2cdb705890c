// SPDX-License-Identifier: Apache-2.0
// Side effects survive where the sum saturates whatever the call returns.

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
        hd.h.b = 8w255 |+| se(hd.h.a);
        hd.h.c = 8w0 |-| se(hd.h.d);
    }
}

xdp(P(), C(), D()) main;
