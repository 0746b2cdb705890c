// SPDX-License-Identifier: Apache-2.0
// A program that asks for no ingress port cannot tell the way back from another; what became of
// a packet has the same name everywhere all the same.
#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = hd.h.a == 0xff ? 9w511 : hd.h.a == 0xfe ? 9w510 : (bit<9>) hd.h.a;
    }
}

V1Switch(P(), V(), I(), NoEgress(), C(), D()) main;
