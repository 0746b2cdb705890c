// SPDX-License-Identifier: Apache-2.0
// A packet that is resubmitted begins ingress again as it came, with the fields of the list; to
// resubmit counts more than to drop and more than a group.
#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = 1;
        if (s.instance_type == 0 && hd.h.a == 1) {
            resubmit_preserving_field_list(1);
            mark_to_drop(s);
        } else if (s.instance_type == 0 && hd.h.a == 2) {
            resubmit_preserving_field_list(2);
            s.mcast_grp = 1;
        } else {
            hd.h.b = m.kept;
            hd.h.c = m.both;
            hd.h.d = m.lost + (bit<8>) s.instance_type;
        }
        m.kept = 0x11;
        m.both = 0x22;
        m.lost = 0x33;
        hd.h.a = 0xee;
    }
}

V1Switch(P(), V(), I(), NoEgress(), C(), D()) main;
