// SPDX-License-Identifier: Apache-2.0
// A key of two fields, 48 and 16 bits, and a default that drops.

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
    action Pass_action() {
        xout.output_port = 0;
        xout.output_action = xdp_action.XDP_PASS;
    }

    action Drop_action() {
        xout.output_port = 0;
        xout.output_action = xdp_action.XDP_DROP;
    }

    table mactable {
        key = {
            hd.ethernet.source   : exact;
            hd.ethernet.protocol : exact;
        }
        actions = {
            Pass_action;
            Drop_action;
        }
        default_action = Drop_action;
        implementation = hash_table(1024);
    }

    apply {
        mactable.apply();
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.ethernet);
        packet.emit(hd.ipv4);
    }
}

xdp(Parser(), Ingress(), Deparser()) main;
