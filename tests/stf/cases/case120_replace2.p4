// SPDX-License-Identifier: Apache-2.0
// csum_replace2 as in RFC 1624: the sum comes out as it does when it is computed anew.

#include "../include/skeleton.p4"

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        bit<16> sum = csum_replace2(hd.h.a ++ hd.h.b, hd.h.c ++ hd.h.d, hd.g.a ++ hd.g.b);
        hd.g.c = sum[15:8];
        hd.g.d = sum[7:0];
    }
}

xdp(PG(), C(), D()) main;
