// SPDX-License-Identifier: Apache-2.0
//
// Spreads flows over paths of equal cost: one table gives a destination its group, a hash of the
// 5-tuple chooses a member, a second table gives the member its port.
struct Meta {
    bit<16> group;
    bit<16> member;
}

#include "include/flow.p4"

control Balance(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    action drop() {
        mark_to_drop(standard);
    }
    action to_group(bit<16> group, bit<16> size) {
        meta.group = group;
        hash(meta.member, HashAlgorithm.crc16, 16w0,
             { hdr.ipv4.src, hdr.ipv4.dst, hdr.ipv4.protocol, hdr.ports.src, hdr.ports.dst },
             (bit<32>) size);
    }
    action forward(MacAddress next_hop, bit<9> port) {
        hdr.ethernet.dst = next_hop;
        standard.egress_spec = port;
    }
    table destinations {
        key = {
            hdr.ipv4.dst: lpm;
        }
        actions = {
            to_group;
            drop;
        }
        default_action = drop();
    }
    table members {
        key = {
            meta.group:  exact;
            meta.member: exact;
        }
        actions = {
            forward;
            drop;
        }
        default_action = drop();
    }
    apply {
        if (!hdr.ports.isValid()) {
            drop();
        } else if (destinations.apply().hit) {
            members.apply();
        }
    }
}

V1Switch(FlowParser(), NoVerify(), Balance(), NoEgress(), NoUpdate(), FlowDeparser()) main;
