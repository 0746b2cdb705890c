// SPDX-License-Identifier: Apache-2.0
//
// The first program to read: IPv4 packets go on to the network stack, all
// others are dropped. Nothing in the packet changes, so the generated C stores
// nothing, and there is no table, so there is no map.

#include <core.p4>
#include <xdp_model.p4>

header Ethernet {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header IPv4 {
    bit<4>  version;
    bit<4>  ihl;
    bit<8>  diffserv;
    bit<16> total_len;
    bit<16> identification;
    bit<3>  flags;
    bit<13> frag_offset;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> src;
    bit<32> dst;
}

struct Headers {
    Ethernet ethernet;
    IPv4     ipv4;
}

// A packet too short for a header that it announces is rejected here.
parser Parser(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.ethernet);
        transition select(hd.ethernet.type) {
            0x0800:  parse_ipv4;
            default: accept;
        }
    }

    state parse_ipv4 {
        packet.extract(hd.ipv4);
        transition accept;
    }
}

control Switch(inout Headers hd, in xdp_input input, out xdp_output output) {
    apply {
        output.output_port = 0;
        output.output_action =
            hd.ipv4.isValid() ? xdp_action.XDP_PASS : xdp_action.XDP_DROP;
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.ethernet);
        packet.emit(hd.ipv4);
    }
}

xdp(Parser(), Switch(), Deparser()) main;
