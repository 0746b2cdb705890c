// SPDX-License-Identifier: Apache-2.0
// A slice of one bit of the TCP flags is that bit, not the byte; a slice of 128 bits too.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header X {
    bit<8>   flags;
    bit<8>   r;
    bit<128> wide;
}

struct Hdr {
    Eth eth;
    X   x;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.x);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        bit<8> r = 0;
        if (hd.x.flags[1:1] == 1) r = r | 1;
        if (hd.x.flags[2:1] == 1) r = r | 2;
        if ((bit<3>)hd.x.flags == 6) r = r | 4;
        if (hd.x.wide[64:63] == 1) r = r | 8;
        if (hd.x.wide[127:125] == 5) r = r | 16;
        if (hd.x.wide[95:32] == 0x123456789abcdef0) r = r | 32;
        hd.x.r = r;
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
