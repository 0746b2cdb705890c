// SPDX-License-Identifier: Apache-2.0
//
// What the examples share that look at flows: Ethernet, IPv4 and the two ports that TCP and UDP
// start with. Only first fragments have ports; options are not looked at.

#ifndef EXAMPLES_FLOW_P4
#define EXAMPLES_FLOW_P4

#include <core.p4>
#include <v1model.p4>
#include "../../include/headers.p4"

header Ports {
    bit<16> src;
    bit<16> dst;
}

struct Headers {
    Ethernet ethernet;
    IPv4     ipv4;
    Ports    ports;
}

parser FlowParser(
    packet_in packet, out Headers hdr, inout Meta meta, inout standard_metadata_t standard)
{
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_IPV4: ipv4;
            default:   accept;
        }
    }
    state ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.ihl, hdr.ipv4.frag_offset, hdr.ipv4.protocol) {
            (5, 0, PROTOCOL_TCP): ports;
            (5, 0, PROTOCOL_UDP): ports;
            default:              accept;
        }
    }
    state ports {
        packet.extract(hdr.ports);
        transition accept;
    }
}

control NoVerify(inout Headers hdr, inout Meta meta) {
    apply { }
}

control NoEgress(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    apply { }
}

control NoUpdate(inout Headers hdr, inout Meta meta) {
    apply { }
}

control FlowDeparser(packet_out packet, in Headers hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ports);
    }
}

#endif  // EXAMPLES_FLOW_P4
