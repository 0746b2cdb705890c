// SPDX-License-Identifier: Apache-2.0
//
// Limits what each port may send: a meter colours packets; yellow ones lose their priority
// (DSCP 0), red ones are dropped.
struct Meta { }

#include "include/flow.p4"

const bit<2> YELLOW = 1;
const bit<2> RED = 2;

control Limit(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    meter(512, MeterType.packets) rates;
    bit<2> colour;
    apply {
        standard.egress_spec = 2;
        rates.execute_meter((bit<32>) standard.ingress_port, colour);
        if (colour == RED) {
            mark_to_drop(standard);
        } else if (colour == YELLOW && hdr.ipv4.isValid() && hdr.ipv4.ihl == 5) {
            hdr.ipv4.diffserv = hdr.ipv4.diffserv & 0x03;
        }
    }
}

control Update(inout Headers hdr, inout Meta meta) {
    apply {
        update_checksum(
            hdr.ipv4.isValid() && hdr.ipv4.ihl == 5,
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.diffserv, hdr.ipv4.total_len,
              hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.frag_offset, hdr.ipv4.ttl,
              hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

V1Switch(FlowParser(), NoVerify(), Limit(), NoEgress(), Update(), FlowDeparser()) main;
