// SPDX-License-Identifier: Apache-2.0
// An 8-byte header of its own in front of Ethernet: the packet grows at its head.

#include <core.p4>
#include <xdp_model.p4>
#include "../include/headers.p4"

header Cookie {
    bit<32> magic;
    bit<16> length;
    bit<16> port;
}

struct Headers {
    Ethernet ethernet;
    IPv4     ipv4;
    Cookie   cookie;
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
    apply {
        xout.output_port = 0;
        if (hd.ipv4.isValid()) {
            hd.cookie.setValid();
            hd.cookie.magic = 0xfeedface;
            hd.cookie.length = hd.ipv4.totalLen;
            hd.cookie.port = xin.input_port[15:0];
            xout.output_action = xdp_action.XDP_TX;
        } else {
            xout.output_action = xdp_action.XDP_PASS;
        }
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.cookie);
        packet.emit(hd.ethernet);
        packet.emit(hd.ipv4);
    }
}

xdp(Parser(), Ingress(), Deparser()) main;
