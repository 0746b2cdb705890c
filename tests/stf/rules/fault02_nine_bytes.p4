// SPDX-License-Identifier: Apache-2.0
// A field of 60 bits that lies in nine bytes.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header X {
    bit<7>  a;
    bit<60> b;
    bit<5>  c;
}

header Seen {
    bit<64> b;
}

struct Hdr {
    Eth  eth;
    Seen seen;
    X    x;
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
        hd.seen = { (bit<64>)hd.x.b };
        if (hd.x.a[0:0] == 1) {
            hd.x.b = hd.x.b + 1;
        }
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
