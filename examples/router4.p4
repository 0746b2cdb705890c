// SPDX-License-Identifier: Apache-2.0
//
// An IPv4 router: checks the header, finds the longest matching prefix, takes
// one off the TTL, mends the checksum, writes both MAC addresses and sends the
// packet out of the port of the route. What it cannot forward goes to the host,
// whose network stack answers (no route, TTL run out) or handles it (not IPv4).

#include <core.p4>
#include <xdp_model.p4>
#include "include/headers.p4"

struct Headers {
    Ethernet ethernet;
    IPv4     ipv4;
}

parser Parser(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.ethernet);
        transition select(hd.ethernet.type) {
            TYPE_IPV4: parse_ipv4;
            default:   accept;
        }
    }

    // Options stay in front of the payload; a router has no need to read them.
    state parse_ipv4 {
        packet.extract(hd.ipv4);
        transition accept;
    }
}

control Router(inout Headers hd, in xdp_input input, out xdp_output output) {
    action to_host() {
        output.output_action = xdp_action.XDP_PASS;
        output.output_port = 0;
    }

    action drop() {
        output.output_action = xdp_action.XDP_DROP;
        output.output_port = 0;
    }

    // The TTL shares a 16-bit word of the header with the protocol. The checksum
    // is corrected by the difference of that word, which is right whether or not
    // the header has options.
    action forward(MacAddress next_hop, MacAddress own, bit<32> port) {
        bit<16> before = hd.ipv4.ttl ++ hd.ipv4.protocol;
        hd.ipv4.ttl = hd.ipv4.ttl - 1;
        bit<16> after = hd.ipv4.ttl ++ hd.ipv4.protocol;
        hd.ipv4.checksum = csum_replace2(hd.ipv4.checksum, before, after);
        hd.ethernet.dst = next_hop;
        hd.ethernet.src = own;
        output.output_action = xdp_action.XDP_REDIRECT;
        output.output_port = port;
    }

    table routes {
        key = {
            hd.ipv4.dst : lpm @name("dst");
        }
        actions = {
            forward;
            to_host;
            drop;
        }
        default_action = to_host();
        size = 4096;
    }

    apply {
        if (!hd.ipv4.isValid()) {
            to_host();
        } else if (hd.ipv4.version != 4 || hd.ipv4.ihl < 5) {
            drop();
        } else if (hd.ipv4.ihl == 5 &&
                   hd.ipv4.checksum != ebpf_ipv4_checksum(
                       hd.ipv4.version, hd.ipv4.ihl, hd.ipv4.diffserv, hd.ipv4.total_len,
                       hd.ipv4.identification, hd.ipv4.flags, hd.ipv4.frag_offset,
                       hd.ipv4.ttl, hd.ipv4.protocol, hd.ipv4.src, hd.ipv4.dst)) {
            drop();
        } else if (hd.ipv4.ttl <= 1) {
            to_host();
        } else {
            routes.apply();
        }
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.ethernet);
        packet.emit(hd.ipv4);
    }
}

xdp(Parser(), Router(), Deparser()) main;
