// SPDX-License-Identifier: Apache-2.0
// No packet gets to the end of the parser; ingress sees each of them all the same, with its port.
#define V1_PARSER
#include "include/v1.p4"

parser P(packet_in p, out Hdr hd, inout Meta m, inout standard_metadata_t s) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.h);
        transition select(hd.h.a) {
            0: reject;
        }
    }
}

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = 1;
        hd.h.b = (bit<8>) s.ingress_port;
        if (s.parser_error == error.NoMatch) {
            hd.h.c = 1;
        }
    }
}

V1Switch(P(), V(), I(), NoEgress(), C(), D()) main;
