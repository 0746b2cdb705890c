// SPDX-License-Identifier: Apache-2.0
//
// Copies chosen packets to a program in user space through the perf ring of the
// CPU that received them; tools/packet_in.c reads the rings. `copy` lets the
// packet pass to the network stack as well, `divert` takes it away from there.

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

control Punt(inout Headers hd, in xdp_input input, out xdp_output output) {
    action pass() {
        output.output_action = xdp_action.XDP_PASS;
        output.output_port = 0;
    }

    action copy() {
        BPF_PERF_EVENT_OUTPUT();
        pass();
    }

    action divert() {
        BPF_PERF_EVENT_OUTPUT();
        output.output_action = xdp_action.XDP_DROP;
        output.output_port = 0;
    }

    table protocols {
        key = {
            hd.ethernet.type : exact @name("type");
        }
        actions = {
            pass;
            copy;
            divert;
        }
        default_action = pass();
        size = 64;
    }

    apply {
        protocols.apply();
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.ethernet);
    }
}

xdp(Parser(), Punt(), Deparser()) main;
