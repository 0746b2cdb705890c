// SPDX-License-Identifier: Apache-2.0
// 4 bytes in front of the packet.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Outer {
    bit<32> f0;
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
            hd.outer = { 0xa0a1a2a3 };
        }
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
