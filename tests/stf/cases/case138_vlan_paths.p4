// SPDX-License-Identifier: Apache-2.0
// The same state reached by two paths with different offsets: each keeps its own.

#include <core.p4>
#include <xdp_model.p4>
#include "../include/headers.p4"

header Vlan {
    bit<4>  priority_bits;
    bit<12> vid;
    bit<16> protocol;
}

struct Headers {
    Ethernet ethernet;
    Vlan     outer;
    Vlan     inner;
    IPv4     ipv4;
}

parser P(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.ethernet);
        transition select(hd.ethernet.protocol) {
            0x88A8:  outer;
            0x8100:  inner;
            0x0800:  ipv4;
            default: accept;
        }
    }

    state outer {
        packet.extract(hd.outer);
        transition select(hd.outer.protocol) {
            0x8100:  inner;
            0x0800:  ipv4;
            default: accept;
        }
    }

    state inner {
        packet.extract(hd.inner);
        transition select(hd.inner.protocol) {
            0x0800:  ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hd.ipv4);
        transition accept;
    }
}

control C(inout Headers hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_DROP;
        if (hd.inner.isValid() && hd.inner.vid == 1 && hd.ipv4.srcAddr == 0x0A000001 ||
            hd.outer.isValid() && hd.outer.vid == 2 && hd.ipv4.srcAddr == 0x0A000002 ||
            !hd.inner.isValid() && !hd.outer.isValid() && hd.ipv4.srcAddr == 0x0A000003) {
            o.output_action = xdp_action.XDP_TX;
            hd.ipv4.ttl = 0x77;
        }
    }
}

control D(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd);
    }
}

xdp(P(), C(), D()) main;
