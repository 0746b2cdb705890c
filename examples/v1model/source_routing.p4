// SPDX-License-Identifier: Apache-2.0
//
// Source routing: the sender writes the ports of the whole way onto a stack; each switch takes the
// first one off. Behind the last one the packet is an ordinary one again, older by each hop.
#include <core.p4>
#include <v1model.p4>
#include "../include/headers.p4"

const bit<16> TYPE_SOURCE_ROUTE = 0x88B5;

header Hop {
    bit<1>  last;
    bit<15> port;
}

struct Headers {
    Ethernet ethernet;
    Hop[8]   way;
    IPv4     ipv4;
}

struct Meta { }

parser Parse(
    packet_in packet, out Headers hdr, inout Meta meta, inout standard_metadata_t standard)
{
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_SOURCE_ROUTE: hop;
            default:           accept;
        }
    }
    state hop {
        packet.extract(hdr.way.next);
        transition select(hdr.way.last.last) {
            1: ipv4;
            0: hop;
        }
    }
    state ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control NoVerify(inout Headers hdr, inout Meta meta) {
    apply { }
}

control Route(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    apply {
        if (standard.parser_error != error.NoError || !hdr.way[0].isValid()
                || hdr.way[0].port >= 510 || hdr.ipv4.ttl <= 1) {
            mark_to_drop(standard);
        } else {
            standard.egress_spec = (bit<9>) hdr.way[0].port;
            if (hdr.way[0].last == 1) {
                hdr.ethernet.type = TYPE_IPV4;
            }
            hdr.way.pop_front(1);
            hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        }
    }
}

control NoEgress(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    apply { }
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

control Deparse(packet_out packet, in Headers hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.way);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(Parse(), NoVerify(), Route(), NoEgress(), Update(), Deparse()) main;
