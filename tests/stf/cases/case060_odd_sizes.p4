// SPDX-License-Identifier: Apache-2.0
// Fields of 24, 40, 48 and 56 bits in the last bytes of the packet: a load must not
// reach behind the end.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Odd {
    bit<48> a;
    bit<40> b;
    bit<56> c;
    bit<24> d;
}

struct Hdr {
    Eth eth;
    Odd odd;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.odd);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.odd.a = hd.odd.a + 1;
        hd.odd.b = hd.odd.b + 1;
        hd.odd.c = hd.odd.c + 1;
        hd.odd.d = hd.odd.d + 1;
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
