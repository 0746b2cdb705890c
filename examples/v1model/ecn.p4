// SPDX-License-Identifier: Apache-2.0
//
// Marks congestion (ECN, RFC 3168): packets that come faster than a port may send are marked if
// their sender understands it, dropped if not. A switch would look at the depth of its queue;
// XDP has no queues, so that a meter for each port says what is too fast.
#include <core.p4>
#include <v1model.p4>
#include "../include/headers.p4"

const bit<2> NOT_ECT = 0;
const bit<2> CONGESTION_EXPERIENCED = 3;

const bit<2> YELLOW = 1;
const bit<2> RED = 2;

struct Headers {
    Ethernet ethernet;
    IPv4     ipv4;
}

struct Meta { }

parser Parse(
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
        transition accept;
    }
}

control NoVerify(inout Headers hdr, inout Meta meta) {
    apply { }
}

control Forward(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    action drop() {
        mark_to_drop(standard);
    }
    action forward(MacAddress next_hop, bit<9> port) {
        hdr.ethernet.src = hdr.ethernet.dst;
        hdr.ethernet.dst = next_hop;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        standard.egress_spec = port;
    }
    table routes {
        key = {
            hdr.ipv4.dst: lpm;
        }
        actions = {
            forward;
            drop;
        }
        default_action = drop();
    }
    apply {
        if (hdr.ipv4.isValid() && hdr.ipv4.ihl == 5 && hdr.ipv4.ttl > 1) {
            routes.apply();
        } else {
            drop();
        }
    }
}

control Mark(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    meter(512, MeterType.bytes) rates;
    bit<2> colour;
    apply {
        rates.execute_meter((bit<32>) standard.egress_port, colour);
        if (colour == RED) {
            mark_to_drop(standard);
        } else if (colour == YELLOW) {
            if (hdr.ipv4.diffserv[1:0] == NOT_ECT) {
                mark_to_drop(standard);
            } else {
                hdr.ipv4.diffserv[1:0] = CONGESTION_EXPERIENCED;
            }
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

control Deparse(packet_out packet, in Headers hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(Parse(), NoVerify(), Forward(), Mark(), Update(), Deparse()) main;
