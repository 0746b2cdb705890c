// SPDX-License-Identifier: Apache-2.0
// More in front than there is room for: the packet is aborted, not half written.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Big {
    bit<64> f0;
    bit<64> f1;
    bit<64> f2;
    bit<64> f3;
    bit<64> f4;
    bit<64> f5;
    bit<64> f6;
    bit<64> f7;
}

struct Hdr {
    Big[5] big;
    Eth    eth;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.big[0] = { 0, 1, 2, 3, 4, 5, 6, 7 };
        if (hd.eth.type == 0x88b5) {
            hd.big[1] = hd.big[0];
            hd.big[2] = hd.big[0];
            hd.big[3] = hd.big[0];
            hd.big[4] = hd.big[0];
        }
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
