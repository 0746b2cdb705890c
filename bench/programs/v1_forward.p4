// SPDX-License-Identifier: Apache-2.0
// Basic IPv4 forwarding for v1model: the longest prefix gives port and next hop.
#include <core.p4>
#include <v1model.p4>

header Ethernet {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header IPv4 {
    bit<4>  version;
    bit<4>  ihl;
    bit<8>  diffserv;
    bit<16> total_length;
    bit<16> identification;
    bit<3>  flags;
    bit<13> fragment_offset;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> src;
    bit<32> dst;
}

struct Headers {
    Ethernet eth;
    IPv4     ipv4;
}

struct Metadata {}

parser Parse(packet_in packet, out Headers hd, inout Metadata meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hd.eth);
        transition select(hd.eth.type) {
            0x800: ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hd.ipv4);
        transition accept;
    }
}

control Verify(inout Headers hd, inout Metadata meta) {
    apply {}
}

control Route(inout Headers hd, inout Metadata meta, inout standard_metadata_t std) {
    action drop() {
        mark_to_drop(std);
    }

    action forward(bit<48> next_hop, bit<9> port) {
        std.egress_spec = port;
        hd.eth.src = hd.eth.dst;
        hd.eth.dst = next_hop;
        hd.ipv4.ttl = hd.ipv4.ttl - 1;
    }

    table routes {
        key = {
            hd.ipv4.dst: lpm;
        }
        actions = {
            forward;
            drop;
        }
        size = 1024;
        const default_action = drop();
    }

    apply {
        if (hd.ipv4.isValid()) {
            routes.apply();
        } else {
            drop();
        }
    }
}

control Leave(inout Headers hd, inout Metadata meta, inout standard_metadata_t std) {
    apply {}
}

control Update(inout Headers hd, inout Metadata meta) {
    apply {
        update_checksum(
            hd.ipv4.isValid(),
            { hd.ipv4.version, hd.ipv4.ihl, hd.ipv4.diffserv, hd.ipv4.total_length,
              hd.ipv4.identification, hd.ipv4.flags, hd.ipv4.fragment_offset, hd.ipv4.ttl,
              hd.ipv4.protocol, hd.ipv4.src, hd.ipv4.dst },
            hd.ipv4.checksum,
            HashAlgorithm.csum16);
    }
}

control Deparse(packet_out packet, in Headers hd) {
    apply {
        packet.emit(hd.eth);
        packet.emit(hd.ipv4);
    }
}

V1Switch(Parse(), Verify(), Route(), Leave(), Update(), Deparse()) main;
