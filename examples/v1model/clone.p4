// SPDX-License-Identifier: Apache-2.0
//
// Watching from aside: packets for watched addresses are forwarded like all others and cloned to a
// collector. A clone is the packet as it came in; egress puts it into a UDP datagram with a report
// in front, and leaves no more than its first 96 bytes.
#include <core.p4>
#include <v1model.p4>
#include "../include/headers.p4"

const bit<32> CLONED_BY_INGRESS = 1;
const bit<32> MOST_BYTES = 96;
const bit<32> ADDED_BYTES = 50; // Ethernet, IPv4, UDP and the report

header Report {
    bit<7>  reserved;
    bit<9>  port;
    bit<16> length;
    bit<32> sequence;
}

struct Headers {
    Ethernet outer_ethernet;
    IPv4     outer_ipv4;
    Udp      outer_udp;
    Report   report;
    Ethernet ethernet;
    IPv4     ipv4;
}

struct Meta {
    @field_list(1)
    bit<9>  came_by;
    @field_list(1)
    bit<32> sequence;
}

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
    register<bit<32>>(1) reports;

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

    action watch(bit<32> session) {
        meta.came_by = standard.ingress_port;
        reports.read(meta.sequence, 0);
        meta.sequence = meta.sequence + 1;
        reports.write(0, meta.sequence);
        clone_preserving_field_list(CloneType.I2E, session, 1);
    }
    action ignore() { }
    table watched {
        key = {
            hdr.ipv4.src: ternary;
            hdr.ipv4.dst: ternary;
        }
        actions = {
            watch;
            ignore;
        }
        default_action = ignore();
    }

    apply {
        if (hdr.ipv4.isValid() && hdr.ipv4.version == 4 && hdr.ipv4.ihl == 5
                && hdr.ipv4.ttl > 1) {
            watched.apply();
            routes.apply();
        } else {
            drop();
        }
    }
}

control Reports(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    action drop() {
        mark_to_drop(standard);
    }
    action send_to(
        MacAddress own_mac, IPv4Address own_address, MacAddress mac, IPv4Address address,
        bit<16> port)
    {
        bit<32> length = standard.packet_length;
        if (length > MOST_BYTES) {
            length = MOST_BYTES;
            truncate(ADDED_BYTES + MOST_BYTES);
        }
        hdr.report.setValid();
        hdr.report = { 0, meta.came_by, (bit<16>) standard.packet_length, meta.sequence };
        bit<16> total = (bit<16>) length + 16; // UDP and the report
        hdr.outer_udp.setValid();
        hdr.outer_udp = { port, port, total, 0 };
        hdr.outer_ipv4.setValid();
        hdr.outer_ipv4 =
            { 4, 5, 0, total + 20, 0, 0, 0, 64, PROTOCOL_UDP, 0, own_address, address };
        hdr.outer_ethernet.setValid();
        hdr.outer_ethernet = { mac, own_mac, TYPE_IPV4 };
    }
    table collectors {
        key = {
            standard.egress_port: exact;
        }
        actions = {
            send_to;
            drop;
        }
        default_action = drop();
    }
    apply {
        if (standard.instance_type == CLONED_BY_INGRESS) {
            collectors.apply();
        }
    }
}

control Update(inout Headers hdr, inout Meta meta) {
    apply {
        update_checksum(
            hdr.outer_ipv4.isValid(),
            { hdr.outer_ipv4.version, hdr.outer_ipv4.ihl, hdr.outer_ipv4.diffserv,
              hdr.outer_ipv4.total_len, hdr.outer_ipv4.identification, hdr.outer_ipv4.flags,
              hdr.outer_ipv4.frag_offset, hdr.outer_ipv4.ttl, hdr.outer_ipv4.protocol,
              hdr.outer_ipv4.src, hdr.outer_ipv4.dst },
            hdr.outer_ipv4.checksum, HashAlgorithm.csum16);
        update_checksum(
            hdr.ipv4.isValid() && hdr.ipv4.ihl == 5 && !hdr.outer_ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.diffserv, hdr.ipv4.total_len,
              hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.frag_offset, hdr.ipv4.ttl,
              hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control Deparse(packet_out packet, in Headers hdr) {
    apply {
        packet.emit(hdr.outer_ethernet);
        packet.emit(hdr.outer_ipv4);
        packet.emit(hdr.outer_udp);
        packet.emit(hdr.report);
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(Parse(), NoVerify(), Forward(), Reports(), Update(), Deparse()) main;
