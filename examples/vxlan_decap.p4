// SPDX-License-Identifier: Apache-2.0
//
// The exit of VXLAN tunnels (RFC 7348): takes the 50 outer bytes off and sends
// the frame out of the port that belongs to its network. Everything that is not
// VXLAN for this host goes to the host unchanged.

#include <core.p4>
#include <xdp_model.p4>
#include "include/headers.p4"

const bit<16> VXLAN_PORT = 4789;

struct Headers {
    Ethernet outer;
    IPv4     ipv4;
    Udp      udp;
    Vxlan    vxlan;
    Ethernet inner;
}

parser Parser(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.outer);
        transition select(hd.outer.type) {
            TYPE_IPV4: parse_ipv4;
            default:   accept;
        }
    }

    // Tunnel packets have no options and are never fragments.
    state parse_ipv4 {
        packet.extract(hd.ipv4);
        transition select(hd.ipv4.version, hd.ipv4.ihl, hd.ipv4.flags[0:0],
                          hd.ipv4.frag_offset, hd.ipv4.protocol) {
            (4, 5, 0, 0, PROTOCOL_UDP): parse_udp;
            default:                    accept;
        }
    }

    state parse_udp {
        packet.extract(hd.udp);
        transition select(hd.udp.dst_port) {
            VXLAN_PORT: parse_vxlan;
            default:    accept;
        }
    }

    state parse_vxlan {
        packet.extract(hd.vxlan);
        packet.extract(hd.inner);
        transition accept;
    }
}

control Decap(inout Headers hd, in xdp_input input, out xdp_output output) {
    action to_host() {
        output.output_action = xdp_action.XDP_PASS;
        output.output_port = 0;
    }

    action drop() {
        output.output_action = xdp_action.XDP_DROP;
        output.output_port = 0;
    }

    action decap(bit<32> port) {
        hd.outer.setInvalid();
        hd.ipv4.setInvalid();
        hd.udp.setInvalid();
        hd.vxlan.setInvalid();
        output.output_action = xdp_action.XDP_REDIRECT;
        output.output_port = port;
    }

    // The end point that the packet is sent to, and the virtual network.
    table networks {
        key = {
            hd.ipv4.dst  : exact @name("local");
            hd.vxlan.vni : exact @name("vni");
        }
        actions = {
            decap;
            to_host;
            drop;
        }
        default_action = to_host();
        size = 1024;
    }

    apply {
        // The I flag says that the network number is valid; it must be set.
        if (!hd.vxlan.isValid()) {
            to_host();
        } else if (hd.vxlan.flags[3:3] == 0) {
            drop();
        } else {
            networks.apply();
        }
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.outer);
        packet.emit(hd.ipv4);
        packet.emit(hd.udp);
        packet.emit(hd.vxlan);
        packet.emit(hd.inner);
    }
}

xdp(Parser(), Decap(), Deparser()) main;
