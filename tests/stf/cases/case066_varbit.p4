// SPDX-License-Identifier: Apache-2.0
// A field of variable length: none, some, all, more than it can have, and a length that
// is negative before it is cast.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Base {
    bit<4> kind;
    bit<4> words;
    bit<8> v;
}

header Opt {
    varbit<64> data;
}

struct Hdr {
    Eth  eth;
    Base base;
    Opt  opt;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.base);
        p.extract(hd.opt, (bit<32>)(hd.base.words - 1) * 32);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.base.v = hd.opt.isValid() ? 8w1 : 8w0;
        if (hd.base.kind == 1) {
            hd.opt.setInvalid();
        }
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
