// SPDX-License-Identifier: Apache-2.0
// An index that is the size of the counter counts nowhere; a sum and a sparse counter.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    CounterArray(32w4, false) dense;
    CounterArray(32w4, true) sparse;
    CounterArray(32w1, false) one;

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        dense.increment((bit<32>)hd.h.a);
        sparse.add((bit<32>)hd.h.b, (bit<32>)hd.h.c);
        one.add(hd.h.d ++ 24w0, 32w0xFFFFFFFF);
    }
}

xdp(P(), C(), D()) main;
