// SPDX-License-Identifier: Apache-2.0
//
// Finds flows with many packets in little memory: two registers are the rows of a count-min
// sketch. A flow of more than 3 packets leaves by port 3, all others by port 2.
struct Meta { }

#include "include/flow.p4"

const bit<32> COLUMNS = 1024;
const bit<32> MANY = 3;

control Sketch(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    register<bit<32>>(COLUMNS) row0;
    register<bit<32>>(COLUMNS) row1;
    apply {
        bit<32> column0;
        bit<32> column1;
        bit<32> count0;
        bit<32> count1;
        standard.egress_spec = 2;
        if (hdr.ports.isValid()) {
            hash(column0, HashAlgorithm.crc16, 32w0,
                 { hdr.ipv4.src, hdr.ipv4.dst, hdr.ipv4.protocol, hdr.ports.src, hdr.ports.dst },
                 COLUMNS);
            hash(column1, HashAlgorithm.crc32, 32w0,
                 { hdr.ipv4.src, hdr.ipv4.dst, hdr.ipv4.protocol, hdr.ports.src, hdr.ports.dst },
                 COLUMNS);
            row0.read(count0, column0);
            row1.read(count1, column1);
            row0.write(column0, count0 |+| 1);
            row1.write(column1, count1 |+| 1);
            if (count0 >= MANY && count1 >= MANY) {
                standard.egress_spec = 3;
            }
        }
    }
}

V1Switch(FlowParser(), NoVerify(), Sketch(), NoEgress(), NoUpdate(), FlowDeparser()) main;
