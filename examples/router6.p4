// SPDX-License-Identifier: Apache-2.0
//
// An IPv6 router: longest prefix over the 128-bit destination, one off the hop
// limit, new MAC addresses, out of the port of the route. Multicast and
// link-local destinations (neighbour discovery among them), a hop limit that
// runs out and a missing route are the host's business.

#include <core.p4>
#include <xdp_model.p4>
#include "include/headers.p4"

struct Headers {
    Ethernet ethernet;
    IPv6     ipv6;
}

parser Parser(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.ethernet);
        transition select(hd.ethernet.type) {
            TYPE_IPV6: parse_ipv6;
            default:   accept;
        }
    }

    state parse_ipv6 {
        packet.extract(hd.ipv6);
        transition select(hd.ipv6.version) {
            6:       accept;
            default: reject;
        }
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

    action forward(MacAddress next_hop, MacAddress own, bit<32> port) {
        hd.ipv6.hop_limit = hd.ipv6.hop_limit - 1;
        hd.ethernet.dst = next_hop;
        hd.ethernet.src = own;
        output.output_action = xdp_action.XDP_REDIRECT;
        output.output_port = port;
    }

    table routes {
        key = {
            hd.ipv6.dst : lpm @name("dst");
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
        if (!hd.ipv6.isValid() || hd.ipv6.hop_limit <= 1) {
            to_host();
        } else if (hd.ipv6.dst[127:120] == 0xFF ||                // multicast
                   hd.ipv6.dst[127:118] == 10w0b11_1111_1010) {   // link-local
            to_host();
        } else {
            routes.apply();
        }
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.ethernet);
        packet.emit(hd.ipv6);
    }
}

xdp(Parser(), Router(), Deparser()) main;
