// SPDX-License-Identifier: Apache-2.0
// Copies know more of the packet than fits in front of it: numbers wider than a word, truth values
// and a few bits, which egress folds into the header. Clones know half of that, and a field list.
#define V1_META
struct Meta {
    bit<520> a;
    bit<520> b;
    bit<520> c;
    bit<520> d;
    bit<77>  e;
    bit<3>   f;
    bool     g;
    bool     h;
    @field_list(1)
    bit<8>   kept;
}

#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        m.a = (bit<520>) hd.h.b << 512;
        m.b = (bit<520>) hd.h.b << 64;
        m.c = (bit<520>) hd.h.b << 4;
        m.d = (bit<520>) hd.h.b;
        m.e = (bit<77>) hd.h.b << 69;
        m.f = hd.h.b[2:0];
        m.g = hd.h.b == 0x35;
        m.h = hd.h.b != 0x35;
        m.kept = hd.h.b;
        s.mcast_grp = (bit<16>) hd.h.a;
        s.egress_spec = 1;
        if (hd.h.c == 1) {
            clone_preserving_field_list(CloneType.I2E, 5, 1);
        }
        hd.h.c = 0;
    }
}

control E(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        if (s.instance_type == 1) {
            hd.h.c = m.kept;
            hd.h.d = (bit<8>) (m.a >> 512);
        } else {
            bit<8> sum = (bit<8>) (m.a >> 512) + (bit<8>) (m.b >> 64) + (bit<8>) (m.c >> 4);
            hd.h.c = sum + (bit<8>) m.d + (bit<8>) (m.e >> 69) + (bit<8>) m.f;
            hd.h.d = (m.g ? 8w0x10 : 0) + (m.h ? 8w0x20 : 0) + (bit<8>) s.egress_port;
        }
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
