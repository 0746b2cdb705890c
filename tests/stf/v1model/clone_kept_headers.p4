// SPDX-License-Identifier: Apache-2.0
// A clone keeps headers inside of the metadata that the call names, with their validity.
#define V1_META
header Note {
    bit<8> a;
    bit<8> b;
}
struct Notes {
    Note first;
    Note second;
}
struct Meta {
    bool  is_cloned;
    Notes notes;
}

#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = 1;
    }
}

control E(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        if (s.instance_type == 2) {
            hd.h.setValid();
            hd.h.a = m.notes.first.isValid() ? m.notes.first.a : 0xee;
            hd.h.b = m.notes.first.isValid() ? m.notes.first.b : 0xee;
            hd.h.c = m.notes.second.isValid() ? 8w1 : 0;
            hd.h.d = m.is_cloned ? 8w1 : 0;
        } else if (hd.h.a == 5) {
            m.is_cloned = true;
            m.notes.first = { hd.h.b, hd.h.c };
            hd.h.setInvalid();
            clone3(CloneType.E2E, 5, m);
        } else if (hd.h.a == 6) {
            clone3(CloneType.E2E, 5, { m.notes });
        }
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
