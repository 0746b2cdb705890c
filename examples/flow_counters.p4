// SPDX-License-Identifier: Apache-2.0
//
// Counts packets and bytes of chosen flows, and packets by source address. All
// packets pass. Which flow has which slot is written by the control plane; the
// packets of no chosen flow are counted in slot 0.

#include <core.p4>
#include <xdp_model.p4>
#include "include/headers.p4"

struct Headers {
    Ethernet ethernet;
    IPv4     ipv4;
    Tcp      tcp;
    Udp      udp;
}

parser Parser(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.ethernet);
        transition select(hd.ethernet.type) {
            TYPE_IPV4: parse_ipv4;
            default:   accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hd.ipv4);
        transition select(hd.ipv4.ihl, hd.ipv4.frag_offset, hd.ipv4.protocol) {
            (5, 0, PROTOCOL_TCP): parse_tcp;
            (5, 0, PROTOCOL_UDP): parse_udp;
            default:              accept;
        }
    }

    state parse_tcp {
        packet.extract(hd.tcp);
        transition accept;
    }

    state parse_udp {
        packet.extract(hd.udp);
        transition accept;
    }
}

control Count(inout Headers hd, in xdp_input input, out xdp_output output) {
    // Dense: an array with a cell for each flow. An index of 1024 or more counts
    // nowhere.
    CounterArray(32w1024, false) packets;
    CounterArray(32w1024, false) bytes;
    // Sparse: a hash with room for that many addresses.
    CounterArray(32w4096, true) by_source;

    bit<16> src_port = 0;
    bit<16> dst_port = 0;

    action count(bit<32> flow) {
        packets.increment(flow);
        bytes.add(flow, (bit<32>)hd.ipv4.total_len);
    }

    table flows {
        key = {
            hd.ipv4.src      : exact @name("src");
            hd.ipv4.dst      : exact @name("dst");
            hd.ipv4.protocol : exact @name("protocol");
            src_port         : exact @name("src_port");
            dst_port         : exact @name("dst_port");
        }
        actions = {
            count;
        }
        default_action = count(0);
        size = 1024;
    }

    apply {
        output.output_action = xdp_action.XDP_PASS;
        output.output_port = 0;

        if (hd.tcp.isValid()) {
            src_port = hd.tcp.src_port;
            dst_port = hd.tcp.dst_port;
        } else if (hd.udp.isValid()) {
            src_port = hd.udp.src_port;
            dst_port = hd.udp.dst_port;
        }

        if (hd.ipv4.isValid()) {
            by_source.increment(hd.ipv4.src);
            flows.apply();
        }
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

xdp(Parser(), Count(), Deparser()) main;
