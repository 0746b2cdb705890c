// SPDX-License-Identifier: Apache-2.0
// IPv6 is counted and dropped, IPv4 counted and passed; the addresses of IPv6 are
// 128 bits wide.

#include <core.p4>
#include <xdp_model.p4>
#include "../include/headers.p4"

struct Headers {
    Ethernet ethernet;
    IPv6     ipv6;
    IPv4     ipv4;
}

parser Parser(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.ethernet);
        transition select(hd.ethernet.protocol) {
            16w0x800:  ip;
            16w0x86dd: ipv6;
            default:   reject;
        }
    }

    state ip {
        packet.extract(hd.ipv4);
        transition accept;
    }

    state ipv6 {
        packet.extract(hd.ipv6);
        transition accept;
    }
}

control Ingress(inout Headers hd, in xdp_input xin, out xdp_output xout) {
    CounterArray(32w2, false) by_version;
    CounterArray(32w2, false) loopback;

    apply {
        xout.output_port = 0;
        xout.output_action = xdp_action.XDP_PASS;
        if (hd.ipv6.isValid()) {
            by_version.increment(1);
            if (hd.ipv6.dstAddr == 1) {
                loopback.increment(0);
            }
            if (hd.ipv6.srcAddr == hd.ipv6.dstAddr) {
                loopback.increment(1);
            }
            xout.output_action = xdp_action.XDP_DROP;
        } else if (hd.ipv4.isValid()) {
            by_version.increment(0);
        }
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.ethernet);
        packet.emit(hd.ipv4);
        packet.emit(hd.ipv6);
    }
}

xdp(Parser(), Ingress(), Deparser()) main;
