// SPDX-License-Identifier: Apache-2.0
//
// Source NAT for TCP and UDP. Packets that leave get the public address and a
// port of their own as source; the answers get the private address and port
// back as destination. The host routes what comes out. The checksums of IP, TCP
// and UDP are corrected by the difference (RFC 1624), so the payload is not read.

#include <core.p4>
#include <xdp_model.p4>
#include "include/headers.p4"

struct Headers {
    Ethernet ethernet;
    IPv4     ipv4;
    Tcp      tcp;
    Udp      udp;
}

parser Parser(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.ethernet);
        transition select(hd.ethernet.type) {
            TYPE_IPV4: parse_ipv4;
            default:   accept;
        }
    }

    // Fragments are left alone: all but the first have no ports to translate.
    state parse_ipv4 {
        packet.extract(hd.ipv4);
        transition select(hd.ipv4.ihl, hd.ipv4.flags[0:0], hd.ipv4.frag_offset,
                          hd.ipv4.protocol) {
            (5, 0, 0, PROTOCOL_TCP): parse_tcp;
            (5, 0, 0, PROTOCOL_UDP): parse_udp;
            default:                 accept;
        }
    }

    state parse_tcp {
        packet.extract(hd.tcp);
        transition accept;
    }

    state parse_udp {
        packet.extract(hd.udp);
        transition accept;
    }
}

control Nat(inout Headers hd, in xdp_input input, out xdp_output output) {
    // The ports and the checksum of the layer above IP, whichever it is.
    bit<16> src_port = 0;
    bit<16> dst_port = 0;
    bit<16> checksum = 0;

    action leave() {
    }

    action translate_source(IPv4Address address, bit<16> port) {
        hd.ipv4.checksum = csum_replace4(hd.ipv4.checksum, hd.ipv4.src, address);
        checksum = csum_replace4(checksum, hd.ipv4.src, address);
        checksum = csum_replace2(checksum, src_port, port);
        hd.ipv4.src = address;
        src_port = port;
    }

    action translate_destination(IPv4Address address, bit<16> port) {
        hd.ipv4.checksum = csum_replace4(hd.ipv4.checksum, hd.ipv4.dst, address);
        checksum = csum_replace4(checksum, hd.ipv4.dst, address);
        checksum = csum_replace2(checksum, dst_port, port);
        hd.ipv4.dst = address;
        dst_port = port;
    }

    table outbound {
        key = {
            hd.ipv4.protocol : exact @name("protocol");
            hd.ipv4.src      : exact @name("address");
            src_port         : exact @name("port");
        }
        actions = {
            translate_source;
            leave;
        }
        default_action = leave();
        size = 65536;
    }

    table inbound {
        key = {
            hd.ipv4.protocol : exact @name("protocol");
            hd.ipv4.dst      : exact @name("address");
            dst_port         : exact @name("port");
        }
        actions = {
            translate_destination;
            leave;
        }
        default_action = leave();
        size = 65536;
    }

    apply {
        output.output_action = xdp_action.XDP_PASS;
        output.output_port = 0;

        if (hd.tcp.isValid()) {
            src_port = hd.tcp.src_port;
            dst_port = hd.tcp.dst_port;
            checksum = hd.tcp.checksum;
        } else if (hd.udp.isValid()) {
            src_port = hd.udp.src_port;
            dst_port = hd.udp.dst_port;
            checksum = hd.udp.checksum;
        } else {
            return;
        }

        if (!outbound.apply().hit) {
            inbound.apply();
        }

        if (hd.tcp.isValid()) {
            hd.tcp.src_port = src_port;
            hd.tcp.dst_port = dst_port;
            hd.tcp.checksum = checksum;
        } else {
            hd.udp.src_port = src_port;
            hd.udp.dst_port = dst_port;
            // In UDP a checksum of 0 says that there is none, and a sum that comes
            // out as 0 is sent as all ones.
            if (hd.udp.checksum != 0) {
                hd.udp.checksum = checksum == 0 ? 16w0xFFFF : checksum;
            }
        }
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.ethernet);
        packet.emit(hd.ipv4);
        packet.emit(hd.tcp);
        packet.emit(hd.udp);
    }
}

xdp(Parser(), Nat(), Deparser()) main;
