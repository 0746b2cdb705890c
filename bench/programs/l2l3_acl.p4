// SPDX-License-Identifier: Apache-2.0
//
// A router with an access list: frames for this router's own addresses are
// routed by longest prefix, others are switched; a ternary list over the
// 5-tuple decides first. This is the middle one of the three programs by which
// P4 compilers for XDP are usually compared.

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

control Switch(inout Headers hd, in xdp_input input, out xdp_output output) {
    bit<16> src_port = 0;
    bit<16> dst_port = 0;

    action to_host() {
        output.output_action = xdp_action.XDP_PASS;
        output.output_port = 0;
    }

    action drop() {
        output.output_action = xdp_action.XDP_DROP;
        output.output_port = 0;
    }

    action permit() {
    }

    action send(bit<32> port) {
        output.output_action = xdp_action.XDP_REDIRECT;
        output.output_port = port;
    }

    action route() {
    }

    action forward(MacAddress next_hop, MacAddress own, bit<32> port) {
        hd.ethernet.dst = next_hop;
        hd.ethernet.src = own;
        hd.ipv4.checksum = csum_replace2(
            hd.ipv4.checksum, hd.ipv4.ttl ++ hd.ipv4.protocol,
            (hd.ipv4.ttl - 1) ++ hd.ipv4.protocol);
        hd.ipv4.ttl = hd.ipv4.ttl - 1;
        send(port);
    }

    table acl {
        key = {
            hd.ipv4.src      : ternary @name("src");
            hd.ipv4.dst      : ternary @name("dst");
            hd.ipv4.protocol : ternary @name("protocol");
            src_port         : ternary @name("src_port");
            dst_port         : ternary @name("dst_port");
        }
        actions = {
            permit;
            drop;
        }
        const default_action = permit();
        size = 64;
    }

    table stations {
        key = {
            hd.ethernet.dst : exact @name("dst");
        }
        actions = {
            send;
            route;
            to_host;
        }
        const default_action = to_host();
        size = 1024;
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
        const default_action = to_host();
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
            switch (acl.apply().action_run) {
                drop: { return; }
            }
        }
        switch (stations.apply().action_run) {
            route: {
                if (!hd.ipv4.isValid() || hd.ipv4.ttl <= 1) {
                    to_host();
                } else {
                    routes.apply();
                }
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

xdp(Parser(), Switch(), Deparser()) main;
