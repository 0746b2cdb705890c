// SPDX-License-Identifier: Apache-2.0
// A varbit as a value: copied with its size, compared, emitted twice, kept in a local header, in a
// header between other fields, and with a size that is any number of bytes.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Part {
    bit<4>      kind;
    bit<12>     bits;
    varbit<88>  data;
    bit<8>      last;
}

struct Hdr {
    Eth  eth;
    Part a;
    Part b;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        bit<16> size = p.lookahead<bit<16>>();
        p.extract(hd.a, (bit<32>)size[11:0]);
        size = p.lookahead<bit<16>>();
        p.extract(hd.b, (bit<32>)size[11:0]);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        Part x;
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (hd.a.kind == 1) {
            hd.a.last = hd.a.data == hd.b.data ? 8w1 : 8w2;
            hd.b.last = hd.a == hd.b ? 8w1 : 8w2;
        } else if (hd.a.kind == 2) {
            hd.a.data = hd.b.data;
            hd.a.bits = hd.b.bits;
        } else if (hd.a.kind == 3) {
            x = hd.a;
            hd.a = hd.b;
            hd.b = x;
        } else if (hd.a.kind == 4) {
            x.setValid();
            hd.b = x;
            hd.b.kind = 0xf;
            hd.b.bits = 0;
            hd.b.last = 0x99;
        } else if (hd.a.kind == 5) {
            hd.a.setInvalid();
        }
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd.eth);
        p.emit(hd.a);
        p.emit(hd.b);
        if (hd.a.kind == 6) {
            p.emit(hd.a);
        }
    }
}

xdp(P(), C(), D()) main;
