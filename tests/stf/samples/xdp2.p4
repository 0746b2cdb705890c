// SPDX-License-Identifier: Apache-2.0
// Only ICMP over IPv4 gets through the parser: two selects with `default: reject`.

#include <core.p4>
#include <xdp_model.p4>
#include "../include/headers.p4"

struct Headers {
    Ethernet ethernet;
    IPv4     ipv4;
    Icmp     icmp;
}

parser Parser(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.ethernet);
        transition select(hd.ethernet.protocol) {
            16w0x800: ip;
            default:  reject;
        }
    }

    state ip {
        packet.extract(hd.ipv4);
        transition select(hd.ipv4.protocol) {
            8w1:     icmp;
            default: reject;
        }
    }

    state icmp {
        packet.extract(hd.icmp);
        transition accept;
    }
}

control Ingress(inout Headers hd, in xdp_input xin, out xdp_output xout) {
    apply {
        xout.output_port = 0;
        xout.output_action = xdp_action.XDP_PASS;
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.ethernet);
        packet.emit(hd.ipv4);
        packet.emit(hd.icmp);
    }
}

xdp(Parser(), Ingress(), Deparser()) main;
