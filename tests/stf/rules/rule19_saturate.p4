// SPDX-License-Identifier: Apache-2.0
// |+| and |-| stop at the bounds of 7 bits, unsigned and signed.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        bit<7> a = hd.h.a[6:0];
        bit<7> b = hd.h.b[6:0];
        int<7> sa = (int<7>)a;
        int<7> sb = (int<7>)b;
        hd.g = { (bit<8>)(a |+| b), (bit<8>)(a |-| b), (bit<8>)(bit<7>)(sa |+| sb), (bit<8>)(bit<7>)(sa |-| sb) };
    }
}

xdp(P(), C(), D()) main;
