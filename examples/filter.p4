// SPDX-License-Identifier: Apache-2.0
//
// A packet filter for ebpf_model, which has no deparser: a packet is accepted or
// it is not, and never changed. Accepted are ARP, TCP and UDP packets for a
// service of the table `services`, unless their source is in `blocked`.

#include <core.p4>
#include <ebpf_model.p4>
#include "include/headers.p4"

const bit<16> TYPE_ARP = 0x0806;

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

control Filter(inout Headers hd, out bool pass) {
    bit<16> port = 0;

    action allow() {
        pass = true;
    }

    action refuse() {
        pass = false;
    }

    table blocked {
        key = {
            hd.ipv4.src : exact @name("src");
        }
        actions = {
            refuse;
            NoAction;
        }
        default_action = NoAction();
        implementation = hash_table(1024);
    }

    table services {
        key = {
            hd.ipv4.protocol : exact @name("protocol");
            port             : exact @name("port");
        }
        actions = {
            allow;
            refuse;
        }
        default_action = refuse();
        implementation = hash_table(64);
    }

    apply {
        pass = false;

        if (hd.tcp.isValid()) {
            port = hd.tcp.dst_port;
        } else if (hd.udp.isValid()) {
            port = hd.udp.dst_port;
        } else {
            pass = hd.ethernet.type == TYPE_ARP;
            return;
        }

        if (!blocked.apply().hit) {
            services.apply();
        }
    }
}

ebpfFilter(Parser(), Filter()) main;
