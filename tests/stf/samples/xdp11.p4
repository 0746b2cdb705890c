// SPDX-License-Identifier: Apache-2.0
// Swaps the Ethernet addresses and sends the packet back; the verdict is kept in a
// local variable of the enum.

#include <core.p4>
#include <xdp_model.p4>
#include "../include/headers.p4"

struct Headers {
    Ethernet ethernet;
}

parser Parser(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.ethernet);
        transition accept;
    }
}

control Ingress(inout Headers hd, in xdp_input xin, out xdp_output xout) {
    EthernetAddress saved;
    xdp_action verdict = xdp_action.XDP_DROP;

    apply {
        if (hd.ethernet.isValid()) {
            saved = hd.ethernet.destination;
            hd.ethernet.destination = hd.ethernet.source;
            hd.ethernet.source = saved;
            verdict = xdp_action.XDP_TX;
        }
        xout.output_action = verdict;
        xout.output_port = xin.input_port;
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.ethernet);
    }
}

xdp(Parser(), Ingress(), Deparser()) main;
