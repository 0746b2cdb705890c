// SPDX-License-Identifier: Apache-2.0
// A filter `icmp or arp`: an arm that the packet is too short for does not take the
// other arm with it.

#include <core.p4>
#include <ebpf_model.p4>
#include "../include/headers.p4"

struct Headers {
    Ethernet ethernet;
    IPv4     ipv4;
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
        transition accept;
    }
}

control F(inout Headers hd, out bool pass) {
    apply {
        pass = hd.ipv4.isValid() && hd.ipv4.protocol == 1 || hd.ethernet.protocol == 0x0806;
    }
}

ebpfFilter(P(), F()) main;
