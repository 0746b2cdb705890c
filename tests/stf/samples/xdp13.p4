// SPDX-License-Identifier: Apache-2.0
// A table for each layer, applied where the layer is there. The last statement of
// the deparser is empty.

#include <core.p4>
#include <xdp_model.p4>
#include "../include/headers.p4"

struct Headers {
    Ethernet ethernet;
    IPv4     ipv4;
    Tcp      tcp;
    Udp      udp;
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
        transition select(hd.ipv4.protocol) {
            8w6:     tcp;
            8w17:    udp;
            default: accept;
        }
    }

    state tcp {
        packet.extract(hd.tcp);
        transition accept;
    }

    state udp {
        packet.extract(hd.udp);
        transition accept;
    }
}

control Ingress(inout Headers hd, in xdp_input xin, out xdp_output xout) {
    bit<16> port = 0;

    action Drop_action() {
        xout.output_action = xdp_action.XDP_DROP;
    }

    action Pass_action() {
        xout.output_action = xdp_action.XDP_PASS;
    }

    action Return_action() {
        xout.output_action = xdp_action.XDP_TX;
    }

    table l2 {
        key = { hd.ethernet.source : exact; }
        actions = { Pass_action; Drop_action; }
        default_action = Pass_action;
        implementation = hash_table(64);
    }

    table l3 {
        key = { hd.ipv4.srcAddr : exact; }
        actions = { Pass_action; Drop_action; }
        default_action = Pass_action;
        implementation = hash_table(64);
    }

    table l4 {
        key = { port : exact; }
        actions = { Pass_action; Drop_action; Return_action; }
        default_action = Pass_action;
        implementation = hash_table(64);
    }

    apply {
        xout.output_port = xin.input_port;
        l2.apply();
        if (xout.output_action == xdp_action.XDP_PASS && hd.ipv4.isValid()) {
            l3.apply();
        }
        if (xout.output_action == xdp_action.XDP_PASS) {
            if (hd.tcp.isValid()) {
                port = hd.tcp.dstPort;
                l4.apply();
            } else if (hd.udp.isValid()) {
                port = hd.udp.dstPort;
                l4.apply();
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
        ;
    }
}

xdp(Parser(), Ingress(), Deparser()) main;
