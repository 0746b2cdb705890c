// SPDX-License-Identifier: Apache-2.0
// The parser may look at what a packet that comes again has kept. A clone made by ingress is parsed
// without it, and one made by egress has the headers that were found with it.
#define V1_PARSER
#include "include/v1.p4"

parser P(packet_in p, out Hdr hd, inout Meta m, inout standard_metadata_t s) {
    state start {
        p.extract(hd.eth);
        transition select(m.kept, s.instance_type) {
            (0x77, 6): more;
            default:   accept;
        }
    }
    state more {
        p.extract(hd.h);
        transition accept;
    }
}

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = 1;
        if (s.instance_type == 0) {
            m.kept = 0x77;
            m.both = 0x55;
            resubmit_preserving_field_list(1);
        } else {
            m.kept = 0x33;
            if (hd.h.a == 1) {
                clone_preserving_field_list(CloneType.I2E, 5, 1);
            }
        }
    }
}

control E(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        if (hd.h.isValid()) {
            hd.h.b = (bit<8>) s.instance_type;
            hd.h.c = m.kept;
        } else {
            hd.eth.src = 0xbad0000 | (bit<48>) m.both | (bit<48>) m.kept << 8;
        }
        if (s.instance_type == 0 && hd.h.a == 2) {
            clone_preserving_field_list(CloneType.E2E, 5, 2);
        }
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
