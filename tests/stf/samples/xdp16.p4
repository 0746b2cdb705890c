// SPDX-License-Identifier: Apache-2.0
// The time in a header in front of the packet, and the packet to user space.

#include <core.p4>
#include <xdp_model.p4>
#include "../include/headers.p4"

header Stamp {
    bit<32> nanoseconds;
    bit<32> kept;
}

struct Headers {
    Ethernet ethernet;
    IPv4     ipv4;
    Stamp    stamp;
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
        xout.output_port = xin.input_port;
        if (hd.ipv4.isValid()) {
            BPF_PERF_EVENT_OUTPUT();
            hd.stamp.setValid();
            hd.stamp.nanoseconds = BPF_KTIME_GET_NS();
            hd.stamp.kept = hd.ipv4.dstAddr;
            xout.output_action = xdp_action.XDP_TX;
        } else {
            xout.output_action = xdp_action.XDP_DROP;
        }
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.stamp);
        packet.emit(hd.ethernet);
        packet.emit(hd.ipv4);
    }
}

xdp(Parser(), Ingress(), Deparser()) main;
