// SPDX-License-Identifier: Apache-2.0
//
// Tunnels: a packet for another site gets a tunnel header with an id and crosses the network
// between the sites by that id alone; at the far end the header comes off and the packet goes on.
#include <core.p4>
#include <v1model.p4>
#include "../include/headers.p4"

const bit<16> TYPE_TUNNEL = 0x88B5;

header Tunnel {
    bit<16> id;
    bit<16> next_type;
}

struct Headers {
    Ethernet ethernet;
    Tunnel   tunnel;
    IPv4     ipv4;
}

struct Meta { }

parser Parse(
    packet_in packet, out Headers hdr, inout Meta meta, inout standard_metadata_t standard)
{
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_TUNNEL: tunnel;
            TYPE_IPV4:   ipv4;
            default:     accept;
        }
    }
    state tunnel {
        packet.extract(hdr.tunnel);
        transition accept;
    }
    state ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control NoChecksum(inout Headers hdr, inout Meta meta) {
    apply { }
}

control Forward(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    action drop() {
        mark_to_drop(standard);
    }
    action send(MacAddress next_hop, bit<9> port) {
        hdr.ethernet.src = hdr.ethernet.dst;
        hdr.ethernet.dst = next_hop;
        standard.egress_spec = port;
    }
    // into the tunnel: to which site
    action enter(bit<16> id, MacAddress next_hop, bit<9> port) {
        hdr.tunnel.setValid();
        hdr.tunnel.id = id;
        hdr.tunnel.next_type = hdr.ethernet.type;
        hdr.ethernet.type = TYPE_TUNNEL;
        send(next_hop, port);
    }
    table sites {
        key = {
            hdr.ipv4.dst: lpm;
        }
        actions = {
            enter;
            send;
            drop;
        }
        default_action = drop();
    }
    // out of it
    action leave(MacAddress next_hop, bit<9> port) {
        hdr.ethernet.type = hdr.tunnel.next_type;
        hdr.tunnel.setInvalid();
        send(next_hop, port);
    }
    table tunnels {
        key = {
            hdr.tunnel.id: exact;
        }
        actions = {
            leave;
            send;
            drop;
        }
        default_action = drop();
    }
    apply {
        if (hdr.tunnel.isValid()) {
            tunnels.apply();
        } else if (hdr.ipv4.isValid()) {
            sites.apply();
        } else {
            drop();
        }
    }
}

control NoEgress(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    apply { }
}

control Deparse(packet_out packet, in Headers hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.tunnel);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(Parse(), NoChecksum(), Forward(), NoEgress(), NoChecksum(), Deparse()) main;
