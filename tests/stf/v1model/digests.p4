// SPDX-License-Identifier: Apache-2.0
// A digest holds the values that its data have when it is sent, whatever becomes of them and of the
// packet; a packet sends as many as it calls for. Fields of every kind, wide ones too.
#include "include/v1.p4"

enum Kind { small, middle, large }

struct inner_t {
    bit<1>  one;
    int<12> signed;
}

struct learn_t {
    bit<48>  src;
    bit<9>   port;
    inner_t  inner;
    bool     flag;
    Kind     kind;
    error    problem;
    bit<136> wide;
}

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    action tell(bit<8> what) {
        digest(7, { what, hd.h.a });
    }

    table notes {
        key = { hd.h.c: exact; }
        actions = { tell; NoAction; }
        default_action = NoAction();
    }

    apply {
        if (hd.h.a != 0) {
            learn_t learn;
            learn.src = hd.eth.src;
            learn.port = s.ingress_port;
            learn.inner.one = hd.h.a[0:0];
            learn.inner.signed = (int<12>) (bit<12>) hd.h.a - 12s2;
            learn.flag = hd.h.b == 2;
            learn.kind = hd.h.b == 2 ? Kind.large : Kind.middle;
            learn.problem = s.parser_error;
            learn.wide = 8w0x11 ++ (bit<128>) hd.eth.dst;
            digest<learn_t>((bit<32>) hd.h.d, learn);
            learn.src = 0;
        }
        notes.apply();
        if (hd.h.b == 3) {
            mark_to_drop(s);
        } else {
            s.egress_spec = 1;
        }
    }
}

control E(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        if (hd.h.b == 4) {
            digest(0, hd.h);
        }
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
