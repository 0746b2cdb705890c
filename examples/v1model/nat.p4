// SPDX-License-Identifier: Apache-2.0
//
// Source NAT: the source address and port change, and the checksums of IPv4, TCP and UDP with
// them, from the differences alone (RFC 1624). UDP without a checksum stays without.
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
    IPv4Address old_src;
    bit<16>     old_port;
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
    bit<16> port;
    action drop() {
        mark_to_drop(standard);
    }
    action translate(IPv4Address address, bit<16> new_port) {
        meta.changed = 1;
        meta.old_src = hdr.ipv4.src;
        meta.old_port = port;
        meta.old_ip = hdr.ipv4.checksum;
        hdr.ipv4.src = address;
        port = new_port;
        standard.egress_spec = 2;
    }
    table sources {
        key = {
            hdr.ipv4.src:      exact;
            hdr.ipv4.protocol: exact;
            port:              exact;
        }
        actions = {
            translate;
            drop;
        }
        default_action = drop();
    }
    apply {
        if (hdr.tcp.isValid()) {
            port = hdr.tcp.src_port;
            meta.old_tcp = hdr.tcp.checksum;
            sources.apply();
            hdr.tcp.src_port = port;
        } else if (hdr.udp.isValid()) {
            port = hdr.udp.src_port;
            meta.old_udp = hdr.udp.checksum;
            sources.apply();
            hdr.udp.src_port = port;
        } else {
            drop();
        }
    }
}

control NoEgress(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    apply { }
}

control Update(inout Headers hdr, inout Meta meta) {
    apply {
        update_checksum(meta.changed == 1, { ~meta.old_ip, ~meta.old_src, hdr.ipv4.src },
                        hdr.ipv4.checksum, HashAlgorithm.csum16);
        update_checksum(meta.changed == 1 && hdr.tcp.isValid(),
                        { ~meta.old_tcp, ~meta.old_src, hdr.ipv4.src, ~meta.old_port,
                          hdr.tcp.src_port },
                        hdr.tcp.checksum, HashAlgorithm.csum16);
        update_checksum(meta.changed == 1 && hdr.udp.isValid() && meta.old_udp != 0,
                        { ~meta.old_udp, ~meta.old_src, hdr.ipv4.src, ~meta.old_port,
                          hdr.udp.src_port },
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
