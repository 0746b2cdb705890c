// SPDX-License-Identifier: Apache-2.0
//
// VLAN tags between access ports and trunks. For each port and VLAN (0: the
// packet has no tag) the table says what becomes of the tag and where the
// packet goes:
//   push     put a tag in front, from an access port to a trunk
//   pop      take the tag off, from a trunk to an access port
//   rewrite  keep the tag, change its VLAN, from trunk to trunk
// A pushed tag makes the packet 4 bytes longer, a popped one 4 bytes shorter.

#include <core.p4>
#include <xdp_model.p4>
#include "include/headers.p4"

struct Headers {
    Ethernet ethernet;
    VlanTag  vlan;
}

parser Parser(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.ethernet);
        transition select(hd.ethernet.type) {
            TYPE_VLAN: parse_vlan;
            default:   accept;
        }
    }

    state parse_vlan {
        packet.extract(hd.vlan);
        transition accept;
    }
}

control Switch(inout Headers hd, in xdp_input input, out xdp_output output) {
    bit<12> vid = 0;

    action send(bit<32> port) {
        output.output_action = xdp_action.XDP_REDIRECT;
        output.output_port = port;
    }

    action drop() {
        output.output_action = xdp_action.XDP_DROP;
        output.output_port = 0;
    }

    action push(bit<12> new_vid, bit<32> port) {
        hd.vlan.setValid();
        hd.vlan.priority_code = 0;
        hd.vlan.drop_eligible = 0;
        hd.vlan.vid = new_vid;
        hd.vlan.type = hd.ethernet.type;
        hd.ethernet.type = TYPE_VLAN;
        send(port);
    }

    action pop(bit<32> port) {
        hd.ethernet.type = hd.vlan.type;
        hd.vlan.setInvalid();
        send(port);
    }

    action rewrite(bit<12> new_vid, bit<32> port) {
        hd.vlan.vid = new_vid;
        send(port);
    }

    table untagged {
        key = {
            input.input_port : exact @name("port");
        }
        actions = {
            push;
            send;
            drop;
        }
        default_action = drop();
        size = 64;
    }

    table tagged {
        key = {
            input.input_port : exact @name("port");
            vid              : exact @name("vid");
        }
        actions = {
            pop;
            rewrite;
            send;
            drop;
        }
        default_action = drop();
        size = 4096;
    }

    apply {
        if (hd.vlan.isValid()) {
            vid = hd.vlan.vid;
        }
        // VLAN 0 in a tag carries a priority only: the packet belongs to the port's
        // own VLAN, and its tag is of no further use.
        if (vid != 0) {
            tagged.apply();
        } else {
            if (hd.vlan.isValid()) {
                hd.ethernet.type = hd.vlan.type;
                hd.vlan.setInvalid();
            }
            untagged.apply();
        }
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.ethernet);
        packet.emit(hd.vlan);
    }
}

xdp(Parser(), Switch(), Deparser()) main;
