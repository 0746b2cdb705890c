// SPDX-License-Identifier: Apache-2.0
// An assert that does not hold ends its packet, and so does an assume, in ingress and in egress;
// of the copies of a packet it ends one. log_msg changes nothing, whatever it says.
#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        log_msg("100% of \"{}\", {} and {}\\", { hd.h, hd.eth.dst, 128w5 ++ hd.eth.src });
        log_msg("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", { hd.h.a, hd.h.b, hd.h.c, hd.h.d,
            hd.h.a, hd.h.b, hd.h.c, hd.h.d, hd.h.a, hd.h.b, hd.h.c, hd.h.d, hd.h.a, hd.h.b });
        log_msg("größer als {}: {} {}", { hd.h.a });
        log_msg("plain");
        assert(hd.h.a != 1);
        assume(hd.h.a != 2);
        if (hd.h.a == 9) {
            s.mcast_grp = 1;
        }
        s.egress_spec = 1;
    }
}

control E(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        assert(hd.h.a != 3);
        assert(s.egress_port != 2);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
