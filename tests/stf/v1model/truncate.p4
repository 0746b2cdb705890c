// SPDX-License-Identifier: Apache-2.0
// truncate shortens what leaves, counted from its first byte; a length beyond the end has no
// effect. log_msg, assert and assume change nothing while they hold; an assert that fails ends
// the packet.
#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = 1;
        log_msg("first byte {}, length {}", { hd.h.a, s.packet_length });
        assert(hd.h.a != 0xff);
        assume(hd.h.a != 0xfe);
        if (hd.h.a != 0) {
            truncate((bit<32>) hd.h.a);
        }
    }
}

V1Switch(P(), V(), I(), NoEgress(), C(), D()) main;
