// SPDX-License-Identifier: Apache-2.0
// Six headers, a key of five fields, 128-bit comparisons and a big local struct.

#include <core.p4>
#include <xdp_model.p4>
#include "../include/headers.p4"

header Vlan {
    bit<3>  pcp;
    bit<1>  dei;
    bit<12> vid;
    bit<16> protocol;
}

struct Headers {
    Ethernet ethernet;
    Vlan     vlan;
    IPv4     ipv4;
    IPv6     ipv6;
    Tcp      tcp;
    Udp      udp;
}

parser P(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.ethernet);
        transition select(hd.ethernet.protocol) {
            0x8100:  vlan;
            0x0800:  ipv4;
            0x86DD:  ipv6;
            default: accept;
        }
    }

    state vlan {
        packet.extract(hd.vlan);
        transition select(hd.vlan.protocol) {
            0x0800:  ipv4;
            0x86DD:  ipv6;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hd.ipv4);
        transition select(hd.ipv4.protocol) {
            6:       tcp;
            17:      udp;
            default: accept;
        }
    }

    state ipv6 {
        packet.extract(hd.ipv6);
        transition select(hd.ipv6.nextHdr) {
            6:       tcp;
            17:      udp;
            default: accept;
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

control C(inout Headers hd, in xdp_input i, out xdp_output o) {
    bit<128> src = 0;
    bit<128> dst = 0;
    bit<8>   protocol = 0;
    bit<16>  srcPort = 0;
    bit<16>  dstPort = 0;
    Headers  before;

    action rewrite(bit<128> newSrc, bit<128> newDst, bit<16> port, bit<12> vid) {
        src = newSrc;
        dst = newDst;
        srcPort = port;
        hd.vlan.vid = vid;
    }

    table flows {
        key = {
            src      : exact @name("src");
            dst      : exact @name("dst");
            protocol : exact @name("protocol");
            srcPort  : exact @name("sport");
            dstPort  : exact @name("dport");
        }
        actions = { rewrite; NoAction; }
        default_action = NoAction();
        size = 1024;
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        before = hd;

        if (hd.ipv4.isValid()) {
            src = 96w0xFFFF ++ hd.ipv4.srcAddr;
            dst = 96w0xFFFF ++ hd.ipv4.dstAddr;
            protocol = hd.ipv4.protocol;
        } else if (hd.ipv6.isValid()) {
            src = hd.ipv6.srcAddr;
            dst = hd.ipv6.dstAddr;
            protocol = hd.ipv6.nextHdr;
        }
        if (hd.tcp.isValid()) {
            srcPort = hd.tcp.srcPort;
            dstPort = hd.tcp.dstPort;
        } else if (hd.udp.isValid()) {
            srcPort = hd.udp.srcPort;
            dstPort = hd.udp.dstPort;
        }

        if (!flows.apply().hit) {
            if (src == dst) {
                o.output_action = xdp_action.XDP_DROP;
            }
            return;
        }

        if (hd.ipv4.isValid()) {
            hd.ipv4.srcAddr = src[31:0];
            hd.ipv4.dstAddr = dst[31:0];
        } else {
            hd.ipv6.srcAddr = src;
            hd.ipv6.dstAddr = dst;
        }
        if (hd.tcp.isValid()) {
            hd.tcp.srcPort = srcPort;
        } else {
            hd.udp.srcPort = srcPort;
        }
        if (before.ipv6.isValid() && before.ipv6.srcAddr < hd.ipv6.srcAddr) {
            hd.ipv6.hopLimit = before.ipv6.hopLimit - 1;
        }
        if (before.ethernet.source == before.ethernet.destination) {
            o.output_action = xdp_action.XDP_DROP;
        }
    }
}

control D(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd);
    }
}

xdp(P(), C(), D()) main;
