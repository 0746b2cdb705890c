// SPDX-License-Identifier: Apache-2.0
// What most cases share: 14 bytes of Ethernet, then 4 bytes `h` and, when the case
// takes the parser PG, 4 bytes `g`. A case brings its own control.

#ifndef STF_SKELETON_P4
#define STF_SKELETON_P4

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header H4 {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

struct Hdr {
    Eth eth;
    H4  h;
    H4  g;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.h);
        transition accept;
    }
}

parser PG(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.h);
        p.extract(hd.g);
        transition accept;
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd.eth);
        p.emit(hd.h);
        p.emit(hd.g);
    }
}

#endif  // STF_SKELETON_P4
