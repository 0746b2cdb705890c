// SPDX-License-Identifier: Apache-2.0
// Clones leave beside the copies of a multicast group; several copies may leave by one port, each
// with a replication id of its own. A group or a session that is not there is left out.
#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = 1;
        s.mcast_grp = (bit<16>) hd.h.a;
        m.kept = hd.h.b;
        if (hd.h.b != 0) {
            clone_preserving_field_list(CloneType.I2E, (bit<32>) hd.h.b, 1);
        }
    }
}

control E(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        hd.h.b = m.kept;
        hd.h.c = (bit<8>) s.egress_rid;
        hd.h.d = (bit<8>) s.instance_type << 4 | (bit<8>) s.egress_port;
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
