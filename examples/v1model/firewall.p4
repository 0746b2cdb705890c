// SPDX-License-Identifier: Apache-2.0
//
// A stateful firewall: inner hosts (port 1) may talk to anybody outside (port 2), who may only
// answer. Two registers make a Bloom filter of the flows that were opened from inside.
struct Meta { }

#include "include/flow.p4"

const bit<9> INSIDE = 1;
const bit<9> OUTSIDE = 2;
const bit<32> BITS = 4096;

control Firewall(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    register<bit<1>>(BITS) first;
    register<bit<1>>(BITS) second;
    bit<32> at_first;
    bit<32> at_second;

    action places(IPv4Address inner, IPv4Address outer, bit<16> inner_port, bit<16> outer_port) {
        hash(at_first, HashAlgorithm.crc16, 32w0,
             { inner, outer, hdr.ipv4.protocol, inner_port, outer_port }, BITS);
        hash(at_second, HashAlgorithm.crc32, 32w0,
             { inner, outer, hdr.ipv4.protocol, inner_port, outer_port }, BITS);
    }
    apply {
        bit<1> in_first;
        bit<1> in_second;
        if (!hdr.ports.isValid()) {
            mark_to_drop(standard);
        } else if (standard.ingress_port == INSIDE) {
            places(hdr.ipv4.src, hdr.ipv4.dst, hdr.ports.src, hdr.ports.dst);
            first.write(at_first, 1);
            second.write(at_second, 1);
            standard.egress_spec = OUTSIDE;
        } else {
            places(hdr.ipv4.dst, hdr.ipv4.src, hdr.ports.dst, hdr.ports.src);
            first.read(in_first, at_first);
            second.read(in_second, at_second);
            standard.egress_spec = INSIDE;
            if ((in_first & in_second) == 0) {
                mark_to_drop(standard);
            }
        }
    }
}

V1Switch(FlowParser(), NoVerify(), Firewall(), NoEgress(), NoUpdate(), FlowDeparser()) main;
