// SPDX-License-Identifier: Apache-2.0
//
// Answers pings at the driver: an ICMP echo request for one of the addresses in
// `addresses` goes back out of the interface that it came in by. All other
// packets pass to the network stack.

#include <core.p4>
#include <xdp_model.p4>
#include "include/headers.p4"

const bit<8> ECHO_REPLY   = 0;
const bit<8> ECHO_REQUEST = 8;

struct Headers {
    Ethernet ethernet;
    IPv4     ipv4;
    Icmp     icmp;
}

parser Parser(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.ethernet);
        transition select(hd.ethernet.type) {
            TYPE_IPV4: parse_ipv4;
            default:   accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hd.ipv4);
        transition select(hd.ipv4.version, hd.ipv4.ihl, hd.ipv4.flags[0:0],
                          hd.ipv4.frag_offset, hd.ipv4.protocol) {
            (4, 5, 0, 0, PROTOCOL_ICMP): parse_icmp;
            default:                     accept;
        }
    }

    state parse_icmp {
        packet.extract(hd.icmp);
        transition accept;
    }
}

control Responder(inout Headers hd, in xdp_input input, out xdp_output output) {
    action pass() {
        output.output_action = xdp_action.XDP_PASS;
        output.output_port = 0;
    }

    action answer() {
        MacAddress mac = hd.ethernet.dst;
        hd.ethernet.dst = hd.ethernet.src;
        hd.ethernet.src = mac;

        // Addresses that change places leave the sum as it was; the new TTL does not.
        IPv4Address address = hd.ipv4.dst;
        hd.ipv4.dst = hd.ipv4.src;
        hd.ipv4.src = address;
        bit<16> before = hd.ipv4.ttl ++ hd.ipv4.protocol;
        hd.ipv4.ttl = 64;
        hd.ipv4.checksum =
            csum_replace2(hd.ipv4.checksum, before, hd.ipv4.ttl ++ hd.ipv4.protocol);

        hd.icmp.type = ECHO_REPLY;
        hd.icmp.checksum =
            csum_replace2(hd.icmp.checksum, ECHO_REQUEST ++ hd.icmp.code,
                          ECHO_REPLY ++ hd.icmp.code);

        output.output_action = xdp_action.XDP_TX;
        output.output_port = input.input_port;
    }

    table addresses {
        key = {
            hd.ipv4.dst : exact @name("address");
        }
        actions = {
            answer;
            pass;
        }
        default_action = pass();
        size = 64;
    }

    apply {
        if (hd.icmp.isValid() && hd.icmp.type == ECHO_REQUEST && hd.icmp.code == 0) {
            addresses.apply();
        } else {
            pass();
        }
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.ethernet);
        packet.emit(hd.ipv4);
        packet.emit(hd.icmp);
    }
}

xdp(Parser(), Responder(), Deparser()) main;
