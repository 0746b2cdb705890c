// SPDX-License-Identifier: Apache-2.0
// verify_checksum sets checksum_error, update_checksum writes; both only where their condition
// holds, and with payload over what the parser left, too.
#define V1_CHECKSUMS
#include "include/v1.p4"

control V(inout Hdr hd, inout Meta m) {
    apply {
        verify_checksum(
            hd.h.a == 1, { hd.h.a, hd.h.b }, hd.h.c ++ hd.h.d, HashAlgorithm.csum16);
        verify_checksum_with_payload(
            hd.h.a == 2, { hd.h.a, hd.h.b }, hd.h.c ++ hd.h.d, HashAlgorithm.csum16);
    }
}

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = (bit<9>) s.checksum_error + 1;
    }
}

control C(inout Hdr hd, inout Meta m) {
    apply {
        update_checksum(hd.h.a == 3, { hd.h.a, hd.h.b, hd.h }, hd.eth.type, HashAlgorithm.csum16);
        update_checksum_with_payload(
            hd.h.a == 4, { hd.h.a, hd.h.b }, hd.eth.type, HashAlgorithm.csum16);
    }
}

V1Switch(P(), V(), I(), NoEgress(), C(), D()) main;
