// SPDX-License-Identifier: Apache-2.0
// An action with a struct as its parameter, which the control plane fills: it
// writes the TTL and the `out` struct of the control. The key has two fields.

#include <core.p4>
#include <xdp_model.p4>
#include "../include/headers.p4"

struct Headers {
    Ethernet ethernet;
    IPv4     ipv4;
}

struct Verdict {
    bit<8>  ttl;
    bit<32> port;
}

parser Parser(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.ethernet);
        transition select(hd.ethernet.protocol) {
            16w0x800: ip;
            default:  accept;
        }
    }

    state ip {
        packet.extract(hd.ipv4);
        transition accept;
    }
}

control Ingress(inout Headers hd, in xdp_input xin, out xdp_output xout) {
    xdp_action xoutdrop = xdp_action.XDP_DROP;

    action Fallback_action() {
        xout.output_port = 0;
        xout.output_action = xdp_action.XDP_PASS;
    }

    action Drop_action() {
        xout.output_port = 0;
        xout.output_action = xoutdrop;
    }

    action SetTTL_action(Verdict verdict) {
        bit<16> old = hd.ipv4.ttl ++ hd.ipv4.protocol;
        hd.ipv4.ttl = verdict.ttl;
        hd.ipv4.checksum =
            csum_replace2(hd.ipv4.checksum, old, verdict.ttl ++ hd.ipv4.protocol);
        xout = { xdp_action.XDP_REDIRECT, verdict.port };
    }

    table dstmactable {
        key = {
            hd.ethernet.destination : exact;
            hd.ipv4.dstAddr         : exact;
        }
        actions = {
            Fallback_action;
            Drop_action;
            SetTTL_action;
        }
        default_action = Drop_action;
        implementation = hash_table(64);
    }

    apply {
        if (hd.ipv4.isValid()) {
            dstmactable.apply();
        } else {
            Fallback_action();
        }
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.ethernet);
        packet.emit(hd.ipv4);
    }
}

xdp(Parser(), Ingress(), Deparser()) main;
