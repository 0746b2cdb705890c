// SPDX-License-Identifier: Apache-2.0
// One off the TTL, then the checksum of the whole IPv4 header computed anew. TCP
// and UDP are parsed and emitted as well.

#include <core.p4>
#include <xdp_model.p4>
#include "../include/headers.p4"

struct Headers {
    Ethernet ethernet;
    IPv4     ipv4;
    Tcp      tcp;
    Udp      udp;
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
            8w6:     tcp;
            8w17:    udp;
            default: reject;
        }
    }

    state tcp {
        packet.extract(hd.tcp);
        transition accept;
    }

    state udp {
        packet.extract(hd.udp);
        transition accept;
    }
}

control Ingress(inout Headers hd, in xdp_input xin, out xdp_output xout) {
    apply {
        if (hd.ipv4.isValid()) {
            hd.ipv4.ttl = hd.ipv4.ttl - 1;
            hd.ipv4.checksum = ebpf_ipv4_checksum(
                hd.ipv4.version, hd.ipv4.ihl, hd.ipv4.diffserv,
                hd.ipv4.totalLen, hd.ipv4.identification, hd.ipv4.flags,
                hd.ipv4.fragOffset, hd.ipv4.ttl, hd.ipv4.protocol,
                hd.ipv4.srcAddr, hd.ipv4.dstAddr);
        }
        xout.output_port = 0;
        xout.output_action = xdp_action.XDP_PASS;
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.ethernet);
        packet.emit(hd.ipv4);
        packet.emit(hd.tcp);
        packet.emit(hd.udp);
    }
}

xdp(Parser(), Ingress(), Deparser()) main;
