// SPDX-License-Identifier: Apache-2.0
//
// A label switching router (RFC 3031) with up to four labels. The entry of the
// outermost label says what happens:
//   swap      another label in its place
//   pop       take the label off, the one below becomes the outermost
//   pop_last  take the only label off; the entry knows which protocol is below
// The TTL is counted down as in the uniform model of RFC 3443: it moves on to
// the label below, but not into the IP header when the last label goes.

#include <core.p4>
#include <xdp_model.p4>
#include "include/headers.p4"

struct Headers {
    Ethernet     ethernet;
    MplsLabel[4] mpls;
}

parser Parser(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.ethernet);
        transition select(hd.ethernet.type) {
            TYPE_MPLS: parse_label;
            default:   accept;
        }
    }

    // A fifth label is error.StackOutOfBounds: the packet is rejected.
    state parse_label {
        packet.extract(hd.mpls.next);
        transition select(hd.mpls.last.bottom) {
            0: parse_label;
            1: accept;
        }
    }
}

control Switch(inout Headers hd, in xdp_input input, out xdp_output output) {
    action to_host() {
        output.output_action = xdp_action.XDP_PASS;
        output.output_port = 0;
    }

    action drop() {
        output.output_action = xdp_action.XDP_DROP;
        output.output_port = 0;
    }

    action send(MacAddress next_hop, MacAddress own, bit<32> port) {
        hd.ethernet.dst = next_hop;
        hd.ethernet.src = own;
        output.output_action = xdp_action.XDP_REDIRECT;
        output.output_port = port;
    }

    action swap(bit<20> label, MacAddress next_hop, MacAddress own, bit<32> port) {
        hd.mpls[0].label = label;
        hd.mpls[0].ttl = hd.mpls[0].ttl - 1;
        send(next_hop, own, port);
    }

    action pop(MacAddress next_hop, MacAddress own, bit<32> port) {
        bit<8> ttl = hd.mpls[0].ttl - 1;
        hd.mpls.pop_front(1);
        hd.mpls[0].ttl = ttl;
        send(next_hop, own, port);
    }

    action pop_last(bit<16> type, MacAddress next_hop, MacAddress own, bit<32> port) {
        hd.mpls.pop_front(1);
        hd.ethernet.type = type;
        send(next_hop, own, port);
    }

    // `bottom` is part of the key, so that `pop` and `pop_last` can each be entered
    // for the packets that they are meant for only.
    table labels {
        key = {
            hd.mpls[0].label  : exact @name("label");
            hd.mpls[0].bottom : exact @name("bottom");
        }
        actions = {
            swap;
            pop;
            pop_last;
            drop;
        }
        default_action = drop();
        size = 4096;
    }

    apply {
        if (!hd.mpls[0].isValid()) {
            to_host();
        } else if (hd.mpls[0].ttl <= 1) {
            drop();
        } else {
            labels.apply();
        }
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.ethernet);
        packet.emit(hd.mpls);
    }
}

xdp(Parser(), Switch(), Deparser()) main;
