// SPDX-License-Identifier: Apache-2.0
// Saturating sums and differences of 8 bits, unsigned and signed.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        int<8> sa = (int<8>)hd.h.a;
        int<8> sb = (int<8>)hd.h.b;
        hd.g = { hd.h.a |+| hd.h.b, hd.h.a |-| hd.h.b, (bit<8>)(sa |+| sb), (bit<8>)(sa |-| sb) };
    }
}

xdp(P(), C(), D()) main;
