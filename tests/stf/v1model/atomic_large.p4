// SPDX-License-Identifier: Apache-2.0
// @atomic around most of a program: cut into parts, it holds its lock from one to the next.
#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    register<bit<8>>(4) first;
    register<bit<8>>(4) second;
    register<bit<8>>(4) third;
    action add(in bit<32> cell) {
        bit<8> old;
        first.read(old, cell);
        first.write(cell, old + 1);
        second.read(old, cell);
        second.write(cell, old + hd.h.b);
        third.read(old, cell);
        third.write(cell, old ^ hd.h.b);
    }
    apply {
        s.egress_spec = 1;
        @atomic {
            add(0);
            if (hd.h.a == 1) {
                add(1);
                exit;
            }
            add(2);
            if (hd.h.a == 2) {
                add(3);
            } else {
                add(0);
                add(1);
            }
            first.read(hd.h.b, 0);
            second.read(hd.h.c, 1);
            third.read(hd.h.d, 2);
        }
        if (hd.h.a == 3) {
            first.read(hd.h.c, 3);
        }
    }
}

control E(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply { }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
