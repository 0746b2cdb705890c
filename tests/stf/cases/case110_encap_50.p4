// SPDX-License-Identifier: Apache-2.0
// 50 bytes in front of the packet.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Outer {
    bit<64> f0;
    bit<64> f1;
    bit<64> f2;
    bit<64> f3;
    bit<64> f4;
    bit<64> f5;
    bit<16> f6;
}

struct Hdr {
    Outer outer;
    Eth   eth;
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
        if (hd.eth.type == 0x88b5) {
            hd.outer = {
                0xa0a1a2a3a4a5a6a7,
                0xa8a9aaabacadaeaf,
                0xb0b1b2b3b4b5b6b7,
                0xb8b9babbbcbdbebf,
                0xc0c1c2c3c4c5c6c7,
                0xc8c9cacbcccdcecf,
                0xd0d1
            };
        }
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
