// SPDX-License-Identifier: Apache-2.0
// Two calls of one instance share its state, two instances do not.

#include "../include/skeleton.p4"

control Count(in bit<32> index) {
    CounterArray(32w8, false) cells;

    apply {
        cells.increment(index);
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    Count() one;
    Count() two;

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        one.apply(1);
        one.apply((bit<32>)hd.h.a);
        two.apply(1);
    }
}

xdp(P(), C(), D()) main;
