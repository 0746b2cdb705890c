// SPDX-License-Identifier: Apache-2.0
// A header with a struct as its field.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

struct Flags {
    bit<3>  kind;
    bit<5>  code;
    bit<16> value;
}

header Record {
    bit<8> id;
    Flags  flags;
}

struct Hdr {
    Eth    eth;
    Record r;
    Record copy;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.r);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.copy = hd.r;
        hd.copy.flags = { 1, 2, hd.r.flags.value + 1 };
        hd.r.flags.kind = 7;
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd.eth);
        p.emit(hd.r);
        p.emit(hd.copy);
    }
}

xdp(P(), C(), D()) main;
