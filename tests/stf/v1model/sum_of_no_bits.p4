// SPDX-License-Identifier: Apache-2.0
// A checksum of no bits is right whatever the data, and nothing of it is there to update.
#define V1_META
struct Meta {
    bit<0> none;
}
#define V1_CHECKSUMS
#include "include/v1.p4"

control V(inout Hdr hd, inout Meta m) {
    apply {
        verify_checksum(true, { hd.h.a }, m.none, HashAlgorithm.csum16);
    }
}

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = 1;
        hd.h.b = (bit<8>) s.checksum_error;
    }
}

control C(inout Hdr hd, inout Meta m) {
    apply {
        update_checksum(true, { hd.h.a }, m.none, HashAlgorithm.csum16);
    }
}

V1Switch(P(), V(), I(), NoEgress(), C(), D()) main;
