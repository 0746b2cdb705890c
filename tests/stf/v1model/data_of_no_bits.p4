// SPDX-License-Identifier: Apache-2.0
// A `bit<0>` among action data, keys and the fields of a digest: the control plane gives and gets
// none in data and digests, and its key is 0.
#define V1_META
struct Meta {
    bit<0> none;
}
#include "include/v1.p4"

struct Told {
    bit<8> a;
    bit<0> none;
    bit<8> b;
}

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    action set(bit<0> none, bit<8> v, bit<9> port) {
        m.none = none;
        hd.h.d = v;
        s.egress_spec = port;
        digest<Told>(1, { hd.h.a, none, v });
    }
    table t {
        key = {
            hd.h.a: exact;
            m.none: exact;
        }
        actions = {
            set;
            NoAction;
        }
    }
    apply {
        t.apply();
    }
}

V1Switch(P(), V(), I(), NoEgress(), C(), D()) main;
