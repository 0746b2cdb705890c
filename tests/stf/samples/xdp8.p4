// SPDX-License-Identifier: Apache-2.0
// A default action with a constant argument: the TTL becomes 4, nothing else changes.

#include <core.p4>
#include <xdp_model.p4>
#include "../include/headers.p4"

struct Headers {
    Ethernet ethernet;
    IPv4     ipv4;
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
    action SetTTL_action(bit<8> ttl) {
        hd.ipv4.ttl = ttl;
        xout.output_port = 0;
        xout.output_action = xdp_action.XDP_PASS;
    }

    action Drop_action() {
        xout.output_port = 0;
        xout.output_action = xdp_action.XDP_DROP;
    }

    table dstmactable {
        key = { hd.ethernet.destination : exact; }
        actions = {
            SetTTL_action;
            Drop_action;
        }
        default_action = SetTTL_action(4);
        implementation = hash_table(64);
    }

    apply {
        if (hd.ipv4.isValid()) {
            dstmactable.apply();
        } else {
            Drop_action();
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
