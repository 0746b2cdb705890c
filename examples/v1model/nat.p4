// SPDX-License-Identifier: Apache-2.0
//
// Source NAT: hosts inside share an address outside, each connection by a port of its own, and
// answers find their way back. The checksums of IPv4, TCP and UDP change with the address and the
// port, from the differences alone (RFC 1624). UDP without a checksum stays without.
#include <core.p4>
#include <v1model.p4>
#include "../include/headers.p4"

struct Headers {
    Ethernet ethernet;
    IPv4     ipv4;
    Tcp      tcp;
    Udp      udp;
}

struct Meta {
    bit<1>      changed;
    IPv4Address old_address;
    IPv4Address new_address;
    bit<16>     old_port;
    bit<16>     new_port;
    bit<16>     old_tcp;
    bit<16>     old_udp;
    bit<16>     old_ip;
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
        transition select(hdr.ipv4.ihl, hdr.ipv4.flags & 1, hdr.ipv4.frag_offset,
                          hdr.ipv4.protocol) {
            (5, 0, 0, PROTOCOL_TCP): tcp;
            (5, 0, 0, PROTOCOL_UDP): udp;
            default:                 accept;
        }
    }
    state tcp {
        packet.extract(hdr.tcp);
        transition accept;
    }
    state udp {
        packet.extract(hdr.udp);
        transition accept;
    }
}

control NoVerify(inout Headers hdr, inout Meta meta) {
    apply { }
}

control Translate(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    bit<16> src_port;
    bit<16> dst_port;
    action drop() {
        mark_to_drop(standard);
    }
    action note(IPv4Address old_address, IPv4Address new_address, bit<16> old_port,
                bit<16> new_port) {
        meta.changed = 1;
        meta.old_address = old_address;
        meta.new_address = new_address;
        meta.old_port = old_port;
        meta.new_port = new_port;
    }
    action leave(IPv4Address address, bit<16> new_port, MacAddress next_hop, bit<9> port) {
        note(hdr.ipv4.src, address, src_port, new_port);
        hdr.ipv4.src = address;
        src_port = new_port;
        hdr.ethernet.dst = next_hop;
        standard.egress_spec = port;
    }
    action enter(IPv4Address address, bit<16> new_port, MacAddress next_hop, bit<9> port) {
        note(hdr.ipv4.dst, address, dst_port, new_port);
        hdr.ipv4.dst = address;
        dst_port = new_port;
        hdr.ethernet.dst = next_hop;
        standard.egress_spec = port;
    }
    table outward {
        key = {
            hdr.ipv4.src:      exact;
            hdr.ipv4.protocol: exact;
            src_port:          exact;
        }
        actions = {
            leave;
            NoAction;
        }
        default_action = NoAction();
    }
    table inward {
        key = {
            hdr.ipv4.dst:      exact;
            hdr.ipv4.protocol: exact;
            dst_port:          exact;
        }
        actions = {
            enter;
            drop;
        }
        default_action = drop();
    }
    apply {
        if (hdr.tcp.isValid()) {
            src_port = hdr.tcp.src_port;
            dst_port = hdr.tcp.dst_port;
        } else if (hdr.udp.isValid()) {
            src_port = hdr.udp.src_port;
            dst_port = hdr.udp.dst_port;
        } else {
            drop();
            return;
        }
        meta.old_ip = hdr.ipv4.checksum;
        if (!outward.apply().hit) {
            inward.apply();
        }
        if (hdr.tcp.isValid()) {
            meta.old_tcp = hdr.tcp.checksum;
            hdr.tcp.src_port = src_port;
            hdr.tcp.dst_port = dst_port;
        } else {
            meta.old_udp = hdr.udp.checksum;
            hdr.udp.src_port = src_port;
            hdr.udp.dst_port = dst_port;
        }
    }
}

control NoEgress(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    apply { }
}

control Update(inout Headers hdr, inout Meta meta) {
    apply {
        update_checksum(meta.changed == 1,
                        { ~meta.old_ip, ~meta.old_address, meta.new_address },
                        hdr.ipv4.checksum, HashAlgorithm.csum16);
        update_checksum(meta.changed == 1 && hdr.tcp.isValid(),
                        { ~meta.old_tcp, ~meta.old_address, meta.new_address, ~meta.old_port,
                          meta.new_port },
                        hdr.tcp.checksum, HashAlgorithm.csum16);
        update_checksum(meta.changed == 1 && hdr.udp.isValid() && meta.old_udp != 0,
                        { ~meta.old_udp, ~meta.old_address, meta.new_address, ~meta.old_port,
                          meta.new_port },
                        hdr.udp.checksum, HashAlgorithm.csum16);
        // 0 would say that there is no checksum; that of 0 is 0xffff
        update_checksum(meta.changed == 1 && hdr.udp.isValid() && meta.old_udp != 0
                            && hdr.udp.checksum == 0,
                        { 16w0 }, hdr.udp.checksum, HashAlgorithm.csum16);
    }
}

control Deparse(packet_out packet, in Headers hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.tcp);
        packet.emit(hdr.udp);
    }
}

V1Switch(Parse(), NoVerify(), Translate(), NoEgress(), Update(), Deparse()) main;
