// SPDX-License-Identifier: Apache-2.0
//
// A layer-2 switch that does not learn: the control plane writes into `forward`
// behind which port each station is.
//
// `@devmap(64)` sends redirected packets through the device map `tx_ports`,
// which holds the interface of each of the ports 0 to 63. Ports are then small
// numbers that stay the same when an interface is made anew.

#include <core.p4>
#include <xdp_model.p4>
#include "include/headers.p4"

struct Headers {
    Ethernet ethernet;
}

parser Parser(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.ethernet);
        transition accept;
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

    action send(bit<32> port) {
        output.output_action = xdp_action.XDP_REDIRECT;
        output.output_port = port;
    }

    // Unknown stations, broadcast and multicast go to the host, which can flood.
    table forward {
        key = {
            hd.ethernet.dst : exact @name("dst");
        }
        actions = {
            send;
            to_host;
            drop;
        }
        default_action = to_host();
        size = 1024;
    }

    apply {
        forward.apply();
        // A station behind the port that the packet came from has it already.
        if (output.output_action == xdp_action.XDP_REDIRECT &&
            output.output_port == input.input_port) {
            drop();
        }
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.ethernet);
    }
}

@devmap(64)
xdp(Parser(), Switch(), Deparser()) main;
