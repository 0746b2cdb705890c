// SPDX-License-Identifier: Apache-2.0
//
// The entry of VXLAN tunnels (RFC 7348). A frame whose destination station is
// known to be behind a tunnel gets 50 bytes in front: Ethernet, IPv4, UDP and
// VXLAN. Frames for other stations go to the host.

#include <core.p4>
#include <xdp_model.p4>
#include "include/headers.p4"

const bit<16> VXLAN_PORT   = 4789;
const bit<16> UNDERLAY_MTU = 1500;
// IPv4, UDP and VXLAN; the outer Ethernet header does not count for the MTU.
const bit<16> OVERHEAD     = 20 + 8 + 8;

struct Headers {
    Ethernet outer;
    IPv4     ipv4;
    Udp      udp;
    Vxlan    vxlan;
    Ethernet inner;
    bit<16>  frame_len;
}

parser Parser(packet_in packet, out Headers hd) {
    state start {
        hd.frame_len = (bit<16>)packet.length();
        packet.extract(hd.inner);
        transition accept;
    }
}

control Encap(inout Headers hd, in xdp_input input, out xdp_output output) {
    action to_host() {
        output.output_action = xdp_action.XDP_PASS;
        output.output_port = 0;
    }

    action drop() {
        output.output_action = xdp_action.XDP_DROP;
        output.output_port = 0;
    }

    action encap(bit<24> vni, IPv4Address local_ip, IPv4Address remote_ip,
                 MacAddress own, MacAddress next_hop, bit<32> port) {
        hd.outer = { next_hop, own, TYPE_IPV4 };

        hd.ipv4.setValid();
        hd.ipv4.version = 4;
        hd.ipv4.ihl = 5;
        hd.ipv4.diffserv = 0;
        hd.ipv4.total_len = hd.frame_len + OVERHEAD;
        hd.ipv4.identification = 0;
        hd.ipv4.flags = 0b010;  // do not fragment
        hd.ipv4.frag_offset = 0;
        hd.ipv4.ttl = 64;
        hd.ipv4.protocol = PROTOCOL_UDP;
        hd.ipv4.src = local_ip;
        hd.ipv4.dst = remote_ip;
        hd.ipv4.checksum = ebpf_ipv4_checksum(
            hd.ipv4.version, hd.ipv4.ihl, hd.ipv4.diffserv, hd.ipv4.total_len,
            hd.ipv4.identification, hd.ipv4.flags, hd.ipv4.frag_offset, hd.ipv4.ttl,
            hd.ipv4.protocol, hd.ipv4.src, hd.ipv4.dst);

        // The source port differs from flow to flow, within 49152 to 65535, so that
        // the underlay spreads the flows. A checksum of 0 means: none was computed.
        hd.udp.setValid();
        hd.udp.src_port = 0xC000 | (hd.inner.src[15:0] ^ hd.inner.dst[15:0]);
        hd.udp.dst_port = VXLAN_PORT;
        hd.udp.length = hd.frame_len + 16;
        hd.udp.checksum = 0;

        hd.vxlan = { 0x08, 0, vni, 0 };

        output.output_action = xdp_action.XDP_REDIRECT;
        output.output_port = port;
    }

    table tunnels {
        key = {
            input.input_port : exact @name("port");
            hd.inner.dst     : exact @name("dst");
        }
        actions = {
            encap;
            to_host;
            drop;
        }
        default_action = to_host();
        size = 1024;
    }

    apply {
        if (hd.frame_len > UNDERLAY_MTU - OVERHEAD) {
            drop();
        } else {
            tunnels.apply();
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

xdp(Parser(), Encap(), Deparser()) main;
