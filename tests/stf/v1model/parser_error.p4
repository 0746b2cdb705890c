// SPDX-License-Identifier: Apache-2.0
// A packet that the parser rejects goes on, with what was extracted and the error in parser_error;
// the bytes that no header took follow the deparsed ones.
#define V1_PARSER
#include "include/v1.p4"

error {
    Unwanted
}

parser P(packet_in p, out Hdr hd, inout Meta m, inout standard_metadata_t s) {
    state start {
        p.extract(hd.eth);
        verify(hd.eth.type != 0xdead, error.Unwanted);
        transition select(hd.eth.type) {
            0x0800: more;
            0x0900: accept;
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
        if (s.parser_error == error.NoError) {
            s.egress_spec = 2;
        } else if (s.parser_error == error.PacketTooShort) {
            s.egress_spec = 3;
        } else if (s.parser_error == error.NoMatch) {
            s.egress_spec = 4;
        } else if (s.parser_error == error.Unwanted) {
            s.egress_spec = 5;
        }
        hd.eth.src = hd.h.isValid() ? 48w1 : 0;
    }
}

V1Switch(P(), V(), I(), NoEgress(), C(), D()) main;
