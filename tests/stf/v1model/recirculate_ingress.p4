// SPDX-License-Identifier: Apache-2.0
// What ingress asks for is for the packet itself: it is recirculated behind egress, its copies are not.
#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = 1;
        hd.h.d = (bit<8>) s.instance_type;
        if (s.instance_type == 4) {
            hd.h.c = m.kept;
        } else if (hd.h.a == 1) {
            recirculate_preserving_field_list(1);
            s.egress_spec = 2;
        } else if (hd.h.a == 2) {
            recirculate_preserving_field_list(1);
            s.mcast_grp = 5;
        } else if (hd.h.a == 3) {
            recirculate_preserving_field_list(1);
            mark_to_drop(s);
        } else if (hd.h.a == 4) {
            clone(CloneType.I2E, 7);
            recirculate_preserving_field_list(1);
        }
    }
}

control E(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        hd.h.b = hd.h.b + 1;
        m.kept = 0x30 + hd.h.b;
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
