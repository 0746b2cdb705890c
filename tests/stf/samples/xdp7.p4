// SPDX-License-Identifier: Apache-2.0
// Address and port translation with checksums kept up to date, over five headers.
// The deparser emits UDP before TCP; only one of them is ever there.

#include <core.p4>
#include <xdp_model.p4>
#include "../include/headers.p4"

struct Headers {
    Ethernet ethernet;
    IPv4     ipv4;
    Icmp     icmp;
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
            8w1:     icmp;
            8w6:     tcp;
            8w17:    udp;
            default: reject;
        }
    }

    state icmp {
        packet.extract(hd.icmp);
        transition accept;
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
    bit<16> old_port;
    bit<32> old_address;

    action Redirect_action(bit<32> address, bit<16> port) {
        old_address = hd.ipv4.dstAddr;
        hd.ipv4.dstAddr = address;
        hd.ipv4.checksum = csum_replace4(hd.ipv4.checksum, old_address, address);

        if (hd.tcp.isValid()) {
            old_port = hd.tcp.dstPort;
            hd.tcp.dstPort = port;
            hd.tcp.checksum = csum_replace4(hd.tcp.checksum, old_address, address);
            hd.tcp.checksum = csum_replace2(hd.tcp.checksum, old_port, port);
        } else if (hd.udp.isValid()) {
            old_port = hd.udp.dstPort;
            hd.udp.dstPort = port;
            if (hd.udp.checksum != 0) {
                hd.udp.checksum = csum_replace4(hd.udp.checksum, old_address, address);
                hd.udp.checksum = csum_replace2(hd.udp.checksum, old_port, port);
                if (hd.udp.checksum == 0) {
                    hd.udp.checksum = 0xFFFF;
                }
            }
        }
        xout.output_port = xin.input_port;
        xout.output_action = xdp_action.XDP_TX;
    }

    action Pass_action() {
        xout.output_port = 0;
        xout.output_action = xdp_action.XDP_PASS;
    }

    table services {
        key = {
            hd.ipv4.dstAddr  : exact;
            hd.ipv4.protocol : exact;
        }
        actions = {
            Redirect_action;
            Pass_action;
        }
        default_action = Pass_action;
        implementation = hash_table(64);
    }

    apply {
        services.apply();
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.ethernet);
        packet.emit(hd.ipv4);
        packet.emit(hd.icmp);
        packet.emit(hd.udp);
        packet.emit(hd.tcp);
    }
}

xdp(Parser(), Ingress(), Deparser()) main;
