// SPDX-License-Identifier: Apache-2.0
// A filter that looks behind a field of variable length, and at its bytes.

#include <core.p4>
#include <ebpf_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Part {
    bit<8>      size;
    varbit<96>  data;
}

header Mark {
    bit<8> v;
}

struct Hdr {
    Eth  eth;
    Part a;
    Part b;
    Mark mark;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.a, (bit<32>)p.lookahead<bit<8>>() * 8);
        p.extract(hd.b, (bit<32>)p.lookahead<bit<8>>() * 8);
        p.extract(hd.mark);
        transition accept;
    }
}

control F(inout Hdr hd, out bool accepted) {
    apply {
        accepted = hd.mark.v == 1 || hd.a == hd.b;
    }
}

ebpfFilter(P(), F()) main;
