// SPDX-License-Identifier: Apache-2.0
//
// A large program: a parser of 15 headers and 20 tables. Every header that is
// there is looked up in a table of its own, which marks the packet or drops it;
// what the marks add up to decides at the end.

#include <core.p4>
#include <xdp_model.p4>
#include "../../examples/include/headers.p4"

const bit<16> TYPE_QINQ = 0x88A8;
const bit<16> TYPE_ARP  = 0x0806;

header Arp {
    bit<48>     fixed;
    bit<16>     operation;
    MacAddress  sender_mac;
    IPv4Address sender;
    MacAddress  target_mac;
    IPv4Address target;
}

header Igmp {
    bit<8>      type;
    bit<8>      code;
    bit<16>     checksum;
    IPv4Address group;
}

header Sctp {
    bit<16> src_port;
    bit<16> dst_port;
    bit<32> tag;
    bit<32> checksum;
}

header Gre {
    bit<16> flags;
    bit<16> protocol;
}

struct Headers {
    Ethernet  ethernet;
    VlanTag   qinq;
    VlanTag   vlan;
    MplsLabel mpls;
    Arp       arp;
    IPv4      ipv4;
    IPv6      ipv6;
    Icmp      icmp;
    Icmp      icmp6;
    Igmp      igmp;
    Tcp       tcp;
    Udp       udp;
    Sctp      sctp;
    Gre       gre;
    Vxlan     vxlan;
}

parser Parser(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.ethernet);
        transition select(hd.ethernet.type) {
            TYPE_QINQ: parse_qinq;
            TYPE_VLAN: parse_vlan;
            TYPE_MPLS: parse_mpls;
            TYPE_ARP:  parse_arp;
            TYPE_IPV4: parse_ipv4;
            TYPE_IPV6: parse_ipv6;
            default:   accept;
        }
    }

    state parse_qinq {
        packet.extract(hd.qinq);
        transition select(hd.qinq.type) {
            TYPE_VLAN: parse_vlan;
            default:   accept;
        }
    }

    state parse_vlan {
        packet.extract(hd.vlan);
        transition select(hd.vlan.type) {
            TYPE_MPLS: parse_mpls;
            TYPE_ARP:  parse_arp;
            TYPE_IPV4: parse_ipv4;
            TYPE_IPV6: parse_ipv6;
            default:   accept;
        }
    }

    state parse_mpls {
        packet.extract(hd.mpls);
        transition select(hd.mpls.bottom) {
            1:       parse_ipv4;
            default: accept;
        }
    }

    state parse_arp {
        packet.extract(hd.arp);
        transition accept;
    }

    state parse_ipv4 {
        packet.extract(hd.ipv4);
        transition select(hd.ipv4.ihl, hd.ipv4.frag_offset, hd.ipv4.protocol) {
            (5, 0, 1):   parse_icmp;
            (5, 0, 2):   parse_igmp;
            (5, 0, 6):   parse_tcp;
            (5, 0, 17):  parse_udp;
            (5, 0, 47):  parse_gre;
            (5, 0, 132): parse_sctp;
            default:     accept;
        }
    }

    state parse_ipv6 {
        packet.extract(hd.ipv6);
        transition select(hd.ipv6.next_header) {
            6:       parse_tcp;
            17:      parse_udp;
            47:      parse_gre;
            58:      parse_icmp6;
            132:     parse_sctp;
            default: accept;
        }
    }

    state parse_icmp {
        packet.extract(hd.icmp);
        transition accept;
    }

    state parse_icmp6 {
        packet.extract(hd.icmp6);
        transition accept;
    }

    state parse_igmp {
        packet.extract(hd.igmp);
        transition accept;
    }

    state parse_tcp {
        packet.extract(hd.tcp);
        transition accept;
    }

    state parse_udp {
        packet.extract(hd.udp);
        transition select(hd.udp.dst_port) {
            4789:    parse_vxlan;
            default: accept;
        }
    }

    state parse_sctp {
        packet.extract(hd.sctp);
        transition accept;
    }

    state parse_gre {
        packet.extract(hd.gre);
        transition accept;
    }

    state parse_vxlan {
        packet.extract(hd.vxlan);
        transition accept;
    }
}

#define MARKS(NAME, KEY)            \
    table NAME {                    \
        key = {                     \
            KEY : exact @name("k"); \
        }                           \
        actions = {                 \
            mark;                   \
            drop;                   \
            NoAction;               \
        }                           \
        const default_action = NoAction;  \
        size = 256;                 \
    }

control Classify(inout Headers hd, in xdp_input input, out xdp_output output) {
    bit<32> marks = 0;

    action drop() {
        output.output_action = xdp_action.XDP_DROP;
        output.output_port = 0;
        exit;
    }

    action mark(bit<32> bits) {
        marks = marks | bits;
    }

    action to_host() {
        output.output_action = xdp_action.XDP_PASS;
        output.output_port = 0;
    }

    action send(MacAddress next_hop, bit<32> port) {
        hd.ethernet.dst = next_hop;
        output.output_action = xdp_action.XDP_REDIRECT;
        output.output_port = port;
    }

    MARKS(of_port, input.input_port)
    MARKS(of_source, hd.ethernet.src)
    MARKS(of_destination, hd.ethernet.dst)
    MARKS(of_qinq, hd.qinq.vid)
    MARKS(of_vlan, hd.vlan.vid)
    MARKS(of_label, hd.mpls.label)
    MARKS(of_arp, hd.arp.target)
    MARKS(of_ipv4_source, hd.ipv4.src)
    MARKS(of_ipv4_destination, hd.ipv4.dst)
    MARKS(of_ipv6_source, hd.ipv6.src)
    MARKS(of_ipv6_destination, hd.ipv6.dst)
    MARKS(of_icmp, hd.icmp.type)
    MARKS(of_icmp6, hd.icmp6.type)
    MARKS(of_igmp, hd.igmp.group)
    MARKS(of_tcp, hd.tcp.dst_port)
    MARKS(of_udp, hd.udp.dst_port)
    MARKS(of_sctp, hd.sctp.dst_port)
    MARKS(of_gre, hd.gre.protocol)
    MARKS(of_vxlan, hd.vxlan.vni)

    table decide {
        key = {
            marks : exact @name("marks");
        }
        actions = {
            send;
            to_host;
            drop;
        }
        const default_action = to_host;
        size = 256;
    }

    apply {
        of_port.apply();
        of_source.apply();
        of_destination.apply();
        if (hd.qinq.isValid()) of_qinq.apply();
        if (hd.vlan.isValid()) of_vlan.apply();
        if (hd.mpls.isValid()) of_label.apply();
        if (hd.arp.isValid()) of_arp.apply();
        if (hd.ipv4.isValid()) {
            of_ipv4_source.apply();
            of_ipv4_destination.apply();
        }
        if (hd.ipv6.isValid()) {
            of_ipv6_source.apply();
            of_ipv6_destination.apply();
        }
        if (hd.icmp.isValid()) of_icmp.apply();
        if (hd.icmp6.isValid()) of_icmp6.apply();
        if (hd.igmp.isValid()) of_igmp.apply();
        if (hd.tcp.isValid()) of_tcp.apply();
        if (hd.udp.isValid()) of_udp.apply();
        if (hd.sctp.isValid()) of_sctp.apply();
        if (hd.gre.isValid()) of_gre.apply();
        if (hd.vxlan.isValid()) of_vxlan.apply();
        decide.apply();
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.ethernet);
        packet.emit(hd.qinq);
        packet.emit(hd.vlan);
        packet.emit(hd.mpls);
        packet.emit(hd.arp);
        packet.emit(hd.ipv4);
        packet.emit(hd.ipv6);
        packet.emit(hd.icmp);
        packet.emit(hd.icmp6);
        packet.emit(hd.igmp);
        packet.emit(hd.tcp);
        packet.emit(hd.udp);
        packet.emit(hd.sctp);
        packet.emit(hd.gre);
        packet.emit(hd.vxlan);
    }
}

xdp(Parser(), Classify(), Deparser()) main;
