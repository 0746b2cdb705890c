// SPDX-License-Identifier: Apache-2.0
// The digits 1 to 9 have known checks: 0xbb3d for CRC-16/ARC, 0xcbf43926 for CRC-32. The result is
// base + hash modulo max, and base alone where max is 0. An odd byte is the high half of a word.
#include "include/v1.p4"

const bit<72> DIGITS = 0x313233343536373839;

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    bit<32> found = 0;
    bit<16> small = 0;
    apply {
        s.egress_spec = 1;
        if (hd.h.a == 0) {
            hash(found, HashAlgorithm.crc32, 32w0, { DIGITS }, 64w0x100000000);
        } else if (hd.h.a == 1) {
            hash(found, HashAlgorithm.crc16, 32w0, { DIGITS }, 32w0x10000);
        } else if (hd.h.a == 2) {
            hash(found, HashAlgorithm.csum16, 32w0, { 16w0x4500, 8w0xff }, 32w0x10000);
        } else if (hd.h.a == 3) {
            hash(found, HashAlgorithm.xor16, 32w0, { 16w0x1234, 16w0x0f0f, 8w0xff }, 32w0x10000);
        } else if (hd.h.a == 4) {
            hash(found, HashAlgorithm.identity, 32w0, { 4w1, 12w2 }, 32w0x10000);
        } else if (hd.h.a == 5) {
            hash(found, HashAlgorithm.crc16, 32w0x1000, { DIGITS }, 32w10);
        } else if (hd.h.a == 6) {
            hash(found, HashAlgorithm.crc16, 32w0x1000, { DIGITS }, 32w0);
        } else if (hd.h.a == 7) {
            hash(found, HashAlgorithm.crc32_custom, 32w0, { DIGITS }, 64w0x100000000);
        } else if (hd.h.a == 8) {
            hash(small, HashAlgorithm.crc16_custom, 16w0, { DIGITS }, 32w0x10000);
            found = (bit<32>) small;
        }
        hd.h = { found[31:24], found[23:16], found[15:8], found[7:0] };
    }
}

V1Switch(P(), V(), I(), NoEgress(), C(), D()) main;
