// SPDX-License-Identifier: Apache-2.0
// A filter `udp[1] > 0 or tcp`: that one arm is about UDP says nothing of the other.

#include <core.p4>
#include <ebpf_model.p4>
#include "../include/headers.p4"

struct Headers {
    Ethernet ethernet;
    IPv4     ipv4;
    Udp      udp;
}

parser P(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.ethernet);
        transition select(hd.ethernet.protocol) {
            0x0800:  ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hd.ipv4);
        transition select(hd.ipv4.protocol) {
            17:      udp;
            default: accept;
        }
    }

    state udp {
        packet.extract(hd.udp);
        transition accept;
    }
}

control F(inout Headers hd, out bool pass) {
    apply {
        pass = hd.udp.isValid() && hd.udp.srcPort[7:0] > 0 ||
               hd.ipv4.isValid() && hd.ipv4.protocol == 6;
    }
}

ebpfFilter(P(), F()) main;
