// SPDX-License-Identifier: Apache-2.0
//
// A load balancer that keeps no state: a service is an address and a port; the
// flow's hash chooses one of its 8 slots, the slot names the server, and the
// packet goes there in an IPv4 header of its own (IPIP), so that the server can
// answer the client directly. xdp_model has no hash function, so the 5-tuple
// is folded by exclusive or.

#include <core.p4>
#include <xdp_model.p4>
#include "../../examples/include/headers.p4"

const bit<8>  PROTOCOL_IPIP = 4;
const bit<16> MTU = 1500;

struct Headers {
    Ethernet ethernet;
    IPv4     outer;
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

control Balancer(inout Headers hd, in xdp_input input, out xdp_output output) {
    bit<16> src_port = 0;
    bit<16> dst_port = 0;
    bit<16> service = 0;
    bit<3>  slot = 0;

    action to_host() {
        output.output_action = xdp_action.XDP_PASS;
        output.output_port = 0;
    }

    action drop() {
        output.output_action = xdp_action.XDP_DROP;
        output.output_port = 0;
    }

    action balance(bit<16> number) {
        service = number;
    }

    action send(IPv4Address own, IPv4Address server, MacAddress own_mac, MacAddress next_hop) {
        bit<16> total_len = hd.ipv4.total_len + 20;
        hd.outer = {
            4, 5, 0, total_len, 0, 0b010, 0, 64, PROTOCOL_IPIP,
            ebpf_ipv4_checksum(4, 5, 0, total_len, 0, 0b010, 0, 64, PROTOCOL_IPIP, own, server),
            own, server };
        hd.ethernet.dst = next_hop;
        hd.ethernet.src = own_mac;
        output.output_action = xdp_action.XDP_TX;
        output.output_port = 0;
    }

    table services {
        key = {
            hd.ipv4.dst      : exact @name("address");
            hd.ipv4.protocol : exact @name("protocol");
            dst_port         : exact @name("port");
        }
        actions = {
            balance;
            to_host;
        }
        const default_action = to_host();
        size = 256;
    }

    table servers {
        key = {
            service : exact @name("service");
            slot    : exact @name("slot");
        }
        actions = {
            send;
            drop;
        }
        const default_action = drop();
        size = 2048;
    }

    apply {
        if (hd.tcp.isValid()) {
            src_port = hd.tcp.src_port;
            dst_port = hd.tcp.dst_port;
        } else if (hd.udp.isValid()) {
            src_port = hd.udp.src_port;
            dst_port = hd.udp.dst_port;
        } else {
            to_host();
            return;
        }
        if (hd.ipv4.total_len > MTU - 20) {
            to_host();
            return;
        }
        switch (services.apply().action_run) {
            balance: {
                bit<32> hash = hd.ipv4.src ^ hd.ipv4.dst ^ (src_port ++ dst_port);
                hash = hash ^ (hash >> 16);
                hash = hash ^ (hash >> 8);
                slot = hash[2:0] ^ hash[5:3];
                servers.apply();
            }
        }
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.ethernet);
        packet.emit(hd.outer);
        packet.emit(hd.ipv4);
        packet.emit(hd.tcp);
        packet.emit(hd.udp);
    }
}

xdp(Parser(), Balancer(), Deparser()) main;
