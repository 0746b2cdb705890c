// SPDX-License-Identifier: Apache-2.0
//
// A firewall with a long list: 1,000 ternary rules over the 5-tuple, first match
// in order of priority decides, and what no rule permits is dropped.

#include <core.p4>
#include <xdp_model.p4>
#include "../../examples/include/headers.p4"

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

    state parse_ipv4 {
        packet.extract(hd.ipv4);
        transition select(hd.ipv4.ihl, hd.ipv4.frag_offset, hd.ipv4.protocol) {
            (5, 0, PROTOCOL_TCP): parse_tcp;
            (5, 0, PROTOCOL_UDP): parse_udp;
            default:              accept;
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

control Firewall(inout Headers hd, in xdp_input input, out xdp_output output) {
    bit<16> src_port = 0;
    bit<16> dst_port = 0;

    action permit() {
        output.output_action = xdp_action.XDP_PASS;
        output.output_port = 0;
    }

    action deny() {
        output.output_action = xdp_action.XDP_DROP;
        output.output_port = 0;
    }

    table rules {
        key = {
            hd.ipv4.src      : ternary @name("src");
            hd.ipv4.dst      : ternary @name("dst");
            hd.ipv4.protocol : ternary @name("protocol");
            src_port         : ternary @name("src_port");
            dst_port         : ternary @name("dst_port");
        }
        actions = {
            permit;
            deny;
        }
        const default_action = deny();
        size = 1024;
    }

    apply {
        if (hd.tcp.isValid()) {
            src_port = hd.tcp.src_port;
            dst_port = hd.tcp.dst_port;
        } else if (hd.udp.isValid()) {
            src_port = hd.udp.src_port;
            dst_port = hd.udp.dst_port;
        }

        if (hd.ipv4.isValid()) {
            rules.apply();
        } else {
            permit();
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

xdp(Parser(), Firewall(), Deparser()) main;
