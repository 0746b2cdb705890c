// SPDX-License-Identifier: Apache-2.0
// IPv4 and IPv6 meet in one state: the bounds of one are not those of the other.

#include <core.p4>
#include <xdp_model.p4>
#include "../include/headers.p4"

struct Headers {
    Ethernet ethernet;
    IPv4     ipv4;
    IPv6     ipv6;
    Udp      udp;
}

parser P(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.ethernet);
        transition select(hd.ethernet.protocol) {
            0x0800: ipv4;
            0x86DD: ipv6;
        }
    }

    state ipv4 {
        packet.extract(hd.ipv4);
        transition both;
    }

    state ipv6 {
        packet.extract(hd.ipv6);
        transition both;
    }

    state both {
        transition select(hd.ethernet.protocol, hd.ipv4.protocol, hd.ipv6.nextHdr) {
            (0x0800, 17, _): udp;
            (0x86DD, _, 17): udp;
            default:         accept;
        }
    }

    state udp {
        packet.extract(hd.udp);
        transition accept;
    }
}

control C(inout Headers hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        bit<16> tail = 0;
        if (hd.ipv6.isValid()) {
            tail = hd.ipv6.dstAddr[15:0];
        } else {
            tail = hd.ipv4.dstAddr[15:0];
        }
        if (hd.udp.isValid()) {
            hd.udp.dstPort = tail;
        } else {
            hd.ethernet.source[15:0] = tail;
        }
    }
}

control D(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd);
    }
}

xdp(P(), C(), D()) main;
