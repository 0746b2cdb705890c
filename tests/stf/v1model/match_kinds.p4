// SPDX-License-Identifier: Apache-2.0
// range, optional and ternary keys by priority, the greatest first; lpm by its prefix.
#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    action to(bit<9> port) {
        s.egress_spec = port;
    }
    table any {
        key = {
            hd.h.b: range;
            hd.h.c: optional;
            hd.h.d: ternary;
        }
        actions = {
            to;
        }
        default_action = to(1);
    }
    table longest {
        key = {
            hd.h.b: lpm;
            hd.h.isValid(): exact;
        }
        actions = {
            to;
        }
        default_action = to(1);
    }
    apply {
        if (hd.h.a == 0) {
            any.apply();
        } else {
            longest.apply();
        }
    }
}

V1Switch(P(), V(), I(), NoEgress(), C(), D()) main;
