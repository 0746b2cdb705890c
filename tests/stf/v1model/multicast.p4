// SPDX-License-Identifier: Apache-2.0
// A group makes a copy for each port of each of its nodes; egress runs for each on its own. A
// group counts more than a port, mark_to_drop more than a group; a group that is not there makes
// no copy.
#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = 9;
        s.mcast_grp = (bit<16>) hd.h.a;
        if (hd.h.b == 1) {
            mark_to_drop(s);
        }
        m.lost = 0x50;
    }
}

control E(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        m.lost = m.lost + (bit<8>) s.egress_port;
        hd.h.b = m.lost;
        hd.h.c = (bit<8>) s.egress_rid;
        hd.h.d = (bit<8>) s.instance_type;
        if (s.egress_port == 4) {
            mark_to_drop(s);
        }
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
