// SPDX-License-Identifier: Apache-2.0
// The deprecated calls name the fields to keep; these have the values of the end of the control.
// Without any, nothing is kept.
#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = 1;
        if (s.instance_type == 0 && hd.h.a == 1) {
            resubmit({ m.lost, { m.kept } });
        } else if (s.instance_type == 0 && hd.h.a == 2) {
            clone3(CloneType.I2E, 5, m);
        } else if (s.instance_type == 0 && hd.h.a == 3) {
            resubmit<tuple<>>({});
        } else if (s.instance_type == 0 && hd.h.a == 4) {
            s.priority = 5;
            clone3(CloneType.I2E, 5, { s });
        } else {
            hd.h.b = m.kept;
            hd.h.c = m.both;
            hd.h.d = m.lost;
        }
        m.kept = 0x11;
        m.both = 0x22;
        m.lost = 0x33;
    }
}

control E(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        if (s.instance_type == 1) {
            hd.h.b = m.kept;
            hd.h.c = m.both;
            hd.h.d = m.lost + (bit<8>) s.priority;
        }
        if (s.instance_type == 0 && hd.h.a == 7) {
            recirculate(m);
            hd.h.a = 8;
        }
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
