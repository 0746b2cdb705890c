// SPDX-License-Identifier: Apache-2.0
// Copies can be cloned by egress and recirculate; a packet can be cloned and begin anew at once. The
// low bits of `a` say what is asked for, `b` counts how often a packet has been recirculated.
#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = 1;
        if (s.instance_type == 4) {
            hd.h.b = hd.h.b + 1;
            s.egress_spec = 2;
        } else if (s.instance_type == 6) {
            hd.h.d = m.kept;
            s.egress_spec = 3;
        } else {
            if (hd.h.a[0:0] == 1) {
                s.mcast_grp = 5;
            }
            if (hd.h.a[1:1] == 1) {
                m.both = 0x44;
                clone_preserving_field_list(CloneType.I2E, 5, 2);
            }
            if (hd.h.a[2:2] == 1) {
                m.kept = 0x66;
                resubmit_preserving_field_list(1);
            }
        }
    }
}

control E(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        hd.h.c = (bit<8>) s.instance_type << 4 | (bit<8>) s.egress_port;
        if (s.instance_type == 1) {
            hd.h.d = m.both;
        } else if (s.instance_type == 2) {
            hd.h.d = m.kept;
        } else {
            if (hd.h.a[3:3] == 1 && hd.h.b == 0) {
                m.kept = (bit<8>) s.egress_rid;
                clone_preserving_field_list(CloneType.E2E, 6, 1);
            }
            if (hd.h.a[4:4] == 1 && hd.h.b == 0) {
                recirculate_preserving_field_list(3);
            }
        }
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
