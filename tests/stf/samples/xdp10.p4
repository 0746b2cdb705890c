// SPDX-License-Identifier: Apache-2.0
// Packets by destination address, in a sparse counter with room for ten addresses.

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
    CounterArray(32w10, true) counters;

    apply {
        if (hd.ipv4.isValid()) {
            counters.increment(hd.ipv4.dstAddr);
        }
        xout.output_port = 0;
        xout.output_action = xdp_action.XDP_PASS;
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.ethernet);
        packet.emit(hd.ipv4);
    }
}

xdp(Parser(), Ingress(), Deparser()) main;
