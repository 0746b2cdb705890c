// SPDX-License-Identifier: Apache-2.0
// A clone made by egress is the packet as egress left it and goes through egress, not through the
// parser; it is made for a packet that egress drops, too.
#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = 1;
    }
}

control E(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        if (s.instance_type == 2) {
            hd.h.c = m.kept;
            hd.h.d = (bit<8>) s.egress_port + m.lost;
        } else {
            hd.h.b = 0x77;
            m.kept = 0x11;
            m.lost = 0x40;
            clone_preserving_field_list(CloneType.E2E, 5, 1);
            if (hd.h.a == 1) {
                mark_to_drop(s);
            }
        }
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
