// SPDX-License-Identifier: Apache-2.0
// The first sum of a sparse counter is the sum, not 1.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    CounterArray(32w16, true) counter;

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        counter.add((bit<32>)hd.h.a, (bit<32>)hd.h.b);
    }
}

xdp(P(), C(), D()) main;
