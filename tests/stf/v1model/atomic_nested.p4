// SPDX-License-Identifier: Apache-2.0
// @atomic around what reads and writes registers, with several ways out of it; an action that is
// @atomic itself is called inside.
#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    register<bit<8>>(4) count;
    register<bit<8>>(4) last;
    @atomic
    action both(bit<8> by) {
        bit<8> old;
        count.read(old, 1);
        count.write(1, old + by);
        last.write(1, old);
    }
    apply {
        s.egress_spec = 1;
        @atomic {
            bit<8> seen;
            count.read(seen, 0);
            if (hd.h.a == 1) {
                exit;
            }
            count.write(0, seen + 1);
            if (hd.h.a == 2) {
                both(3);
                return;
            }
            if (hd.h.a == 3) {
                assert(hd.h.b == 0);
            }
            hd.h.b = seen;
        }
        if (hd.h.a == 4) {
            count.write(1, 0x70);
        }
        count.read(hd.h.c, 1);
        last.read(hd.h.d, 1);
    }
}

control E(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply { }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
