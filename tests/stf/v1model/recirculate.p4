// SPDX-License-Identifier: Apache-2.0
// A packet that is recirculated comes in again as the deparser made it; what goes round for ever
// is dropped at last.
#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = 1;
        hd.h.d = hd.h.d + (bit<8>) s.instance_type;
    }
}

control E(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        hd.h.c = m.kept;
        m.kept = m.kept + 1;
        if (hd.h.a != 0) {
            recirculate_preserving_field_list(1);
            if (hd.h.a != 0xff) {
                hd.h.a = hd.h.a - 1;
            }
        }
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
