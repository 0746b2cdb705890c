// SPDX-License-Identifier: Apache-2.0
// csum_replace4, with a carry in each half and both, on fields that are not aligned.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header X {
    bit<8>  lead;
    bit<16> sum;
    bit<32> old;
    bit<32> new;
    bit<8>  end;
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
        hd.x.sum = csum_replace4(hd.x.sum, hd.x.old, hd.x.new);
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
