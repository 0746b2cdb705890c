// SPDX-License-Identifier: Apache-2.0
// A signed value keeps its sign however far it is shifted to the right.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        int<8> v = (int<8>)hd.h.a;
        hd.h.b = (bit<8>)(v >> hd.h.c);
        hd.h.d = (bit<8>)(v << hd.h.c);
    }
}

xdp(P(), C(), D()) main;
