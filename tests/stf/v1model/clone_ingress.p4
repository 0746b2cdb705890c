// SPDX-License-Identifier: Apache-2.0
// A clone made by ingress is the packet as it came, whatever ingress did to it and wherever it
// goes; of the metadata it has the fields of the list, as they are at the end of ingress. The
// last call counts. A session that is not there makes no clone.
#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = 1;
        clone_preserving_field_list(CloneType.I2E, 99, 1);
        if (hd.h.a == 1) {
            clone_preserving_field_list(CloneType.I2E, 5, 1);
        } else if (hd.h.a == 2) {
            clone_preserving_field_list(CloneType.I2E, 5, 2);
            mark_to_drop(s);
        } else if (hd.h.a == 3) {
            clone(CloneType.I2E, 6);
        }
        m.kept = 0x11;
        m.both = 0x22;
        m.lost = 0x33;
        hd.h.a = 0xee;
    }
}

control E(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        if (s.instance_type == 1) {
            hd.h.b = m.kept;
            hd.h.c = m.both;
            hd.h.d = m.lost;
        }
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
