// SPDX-License-Identifier: Apache-2.0
// Registers of any width keep what was written from packet to packet; a write outside of the
// array has no effect.
#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    register<bit<8>>(4) last;
    register<bit<48>>(2) address;
    register<bit<200>>(2) wide;
    register<int<5>>(1) signed;
    bit<8> before;
    bit<48> old;
    bit<200> many;
    int<5> small;
    apply {
        s.egress_spec = 1;
        last.read(before, (bit<32>) hd.h.a & 3);
        last.write((bit<32>) hd.h.a, hd.h.b);
        hd.h.b = before;
        address.read(old, 1);
        address.write(1, hd.eth.src);
        hd.eth.src = old;
        wide.read(many, 0);
        many = many << 8 | (bit<200>) hd.h.c;
        wide.write(0, many);
        hd.h.c = many[199:192];
        signed.read(small, 0);
        signed.write(0, small - 7);
        hd.h.d = (bit<8>) (int<8>) small;
    }
}

V1Switch(P(), V(), I(), NoEgress(), C(), D()) main;
