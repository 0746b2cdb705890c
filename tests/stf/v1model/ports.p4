// SPDX-License-Identifier: Apache-2.0
// Where a packet goes: egress_spec as the program left it, 0 when it never set it; nowhere for
// mark_to_drop and for 511, in ingress and in egress. Egress sees the port and cannot change it.
#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        m.lost = 7;
        if (hd.h.a == 1) {
            s.egress_spec = 3;
        } else if (hd.h.a == 2) {
            mark_to_drop(s);
        } else if (hd.h.a == 3) {
            mark_to_drop(s);
            s.egress_spec = 4;
        } else if (hd.h.a == 4) {
            s.egress_spec = 511;
        } else if (hd.h.a == 5 || hd.h.a == 6) {
            s.egress_spec = s.ingress_port;
        }
    }
}

control E(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        if (hd.h.a == 6) {
            mark_to_drop(s);
        }
        hd.h.b = m.lost;
        hd.h.c = (bit<8>) s.egress_port;
        hd.h.d = (bit<8>) s.packet_length + (bit<8>) s.instance_type;
        s.egress_spec = s.egress_spec == 511 ? s.egress_spec : 9;
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
