// SPDX-License-Identifier: Apache-2.0
//
// A stream for many: what a source sends to a group is copied to every subscriber, and each copy is
// addressed to its own by egress. Subscriptions are nodes of the multicast group; the replication
// id says whose copy it is, so that one port can have several subscribers.
#include <core.p4>
#include <v1model.p4>
#include "../include/headers.p4"

struct Headers {
    Ethernet ethernet;
    IPv4     ipv4;
    Udp      udp;
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
        transition select(hdr.ipv4.ihl, hdr.ipv4.frag_offset, hdr.ipv4.protocol) {
            (5, 0, PROTOCOL_UDP): udp;
            default:              accept;
        }
    }
    state udp {
        packet.extract(hdr.udp);
        transition accept;
    }
}

control NoVerify(inout Headers hdr, inout Meta meta) {
    apply { }
}

control Groups(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    action drop() {
        mark_to_drop(standard);
    }
    action replicate(bit<16> group) {
        standard.mcast_grp = group;
    }
    table groups {
        key = {
            hdr.ipv4.dst: exact;
        }
        actions = {
            replicate;
            drop;
        }
        default_action = drop();
    }
    apply {
        if (hdr.udp.isValid() && hdr.ipv4.ttl > 1) {
            groups.apply();
        } else {
            drop();
        }
    }
}

control Subscribers(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    action drop() {
        mark_to_drop(standard);
    }
    action send_to(MacAddress mac, IPv4Address address, bit<16> port) {
        hdr.ethernet.dst = mac;
        hdr.ipv4.dst = address;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        hdr.udp.dst_port = port;
        hdr.udp.checksum = 0;
    }
    table subscribers {
        key = {
            standard.egress_rid: exact;
        }
        actions = {
            send_to;
            drop;
        }
        default_action = drop();
    }

    action send_from(MacAddress mac) {
        hdr.ethernet.src = mac;
    }
    table ports {
        key = {
            standard.egress_port: exact;
        }
        actions = {
            send_from;
            drop;
        }
        default_action = drop();
    }

    apply {
        if (subscribers.apply().hit) {
            ports.apply();
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
        packet.emit(hdr.udp);
    }
}

V1Switch(Parse(), NoVerify(), Groups(), Subscribers(), Update(), Deparse()) main;
