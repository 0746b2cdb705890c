// SPDX-License-Identifier: Apache-2.0
// A table over the EtherType: 16 bits, most significant byte first on the wire.

#include <core.p4>
#include <xdp_model.p4>
#include "../include/headers.p4"

struct Headers {
    Ethernet ethernet;
}

parser Parser(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.ethernet);
        transition accept;
    }
}

control Ingress(inout Headers hd, in xdp_input xin, out xdp_output xout) {
    action Fallback_action() {
        xout.output_port = 0;
        xout.output_action = xdp_action.XDP_PASS;
    }

    action Drop_action() {
        xout.output_port = 0;
        xout.output_action = xdp_action.XDP_DROP;
    }

    action Return_action() {
        xout.output_port = xin.input_port;
        xout.output_action = xdp_action.XDP_TX;
    }

    table ethertypetable {
        key = { hd.ethernet.protocol : exact; }
        actions = {
            Fallback_action;
            Drop_action;
            Return_action;
        }
        default_action = Fallback_action;
        implementation = hash_table(64);
    }

    apply {
        ethertypetable.apply();
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.ethernet);
    }
}

xdp(Parser(), Ingress(), Deparser()) main;
