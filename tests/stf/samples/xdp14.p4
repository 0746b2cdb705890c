// SPDX-License-Identifier: Apache-2.0
// One table says with a bitmap which actions are done to a packet, and with nested
// structs what they need. The actions are called directly. Bits are macros.

#include <core.p4>
#include <xdp_model.p4>
#include "../include/headers.p4"

#define BIT(n)          (32w1 << (n))
#define DO_TTL          BIT(0)
#define DO_SOURCE       BIT(1)
#define DO_DIFFSERV     BIT(5)
#define DO_RETURN       BIT(31)
#define HAS(map, which) (((map) & (which)) != 0)

struct Headers {
    Ethernet ethernet;
    IPv4     ipv4;
}

struct LinkArguments {
    EthernetAddress source;
}

struct NetworkArguments {
    bit<8> ttl;
    bit<8> diffserv;
}

struct Arguments {
    bit<32>          map;
    LinkArguments    link;
    NetworkArguments network;
}

parser Parser(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.ethernet);
        transition select(hd.ethernet.protocol) {
            16w0x800: ip;
            default:  accept;
        }
    }

    state ip {
        packet.extract(hd.ipv4);
        transition accept;
    }
}

control Ingress(inout Headers hd, in xdp_input xin, out xdp_output xout) {
    Arguments todo = { 0, { 0 }, { 0, 0 } };

    action set_arguments(Arguments arguments) {
        todo = arguments;
    }

    action do_ttl(in bit<8> ttl) {
        hd.ipv4.ttl = ttl;
    }

    action do_source(in LinkArguments link) {
        hd.ethernet.source = link.source;
    }

    action do_diffserv(in NetworkArguments network) {
        hd.ipv4.diffserv = network.diffserv;
    }

    table actions_of {
        key = { hd.ethernet.destination : exact; }
        actions = { set_arguments; NoAction; }
        default_action = NoAction;
        implementation = hash_table(64);
    }

    apply {
        xout.output_port = xin.input_port;
        xout.output_action = xdp_action.XDP_PASS;
        if (!actions_of.apply().hit) {
            return;
        }
        if (HAS(todo.map, DO_SOURCE)) {
            do_source(todo.link);
        }
        if (hd.ipv4.isValid()) {
            if (HAS(todo.map, DO_TTL)) {
                do_ttl(todo.network.ttl);
            }
            if (HAS(todo.map, DO_DIFFSERV)) {
                do_diffserv(todo.network);
            }
        }
        if (HAS(todo.map, DO_RETURN)) {
            xout.output_action = xdp_action.XDP_TX;
        }
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.ethernet);
        packet.emit(hd.ipv4);
    }
}

xdp(Parser(), Ingress(), Deparser()) main;
