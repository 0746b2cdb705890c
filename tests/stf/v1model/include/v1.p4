// SPDX-License-Identifier: Apache-2.0
// What the cases of v1model share: 14 bytes of Ethernet, then 4 bytes `h`; metadata with two
// fields that lists keep and one that none does. A case brings ingress and egress, and says
// V1_CHECKSUMS, V1_PARSER or V1_META where it has these of its own.

#ifndef STF_V1_P4
#define STF_V1_P4

#include <core.p4>
#include <v1model.p4>

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
}

#ifndef V1_META
struct Meta {
    @field_list(1)
    bit<8> kept;
    @field_list(1, 2)
    bit<8> both;
    bit<8> lost;
}
#endif

#ifndef V1_PARSER
parser P(packet_in p, out Hdr hd, inout Meta m, inout standard_metadata_t s) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.h);
        transition accept;
    }
}
#endif

#ifndef V1_CHECKSUMS
control V(inout Hdr hd, inout Meta m) {
    apply { }
}

control C(inout Hdr hd, inout Meta m) {
    apply { }
}
#endif

control NoEgress(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply { }
}

control D(packet_out p, in Hdr hd) {
    apply {
        p.emit(hd.eth);
        p.emit(hd.h);
    }
}

#endif  // STF_V1_P4
