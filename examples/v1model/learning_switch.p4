// SPDX-License-Identifier: Apache-2.0
//
// A switch that learns where hosts are. A frame from a source that is not known at its port has a
// controller told, by a digest, the source and the port; learning_switch.py enters them. A frame to
// a destination that is not known goes to all ports but its own, which are group 1. The time of
// the last frame from each source is kept, so that the controller can forget those that are silent.
#include <core.p4>
#include <v1model.p4>
#include "../include/headers.p4"

const bit<16> EVERYONE = 1;
const bit<32> CONTROLLER = 1;

struct Headers {
    Ethernet ethernet;
}

struct Meta { }

struct learn_t {
    MacAddress source;
    bit<9>     port;
}

parser Parse(
    packet_in packet, out Headers hdr, inout Meta meta, inout standard_metadata_t standard)
{
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control NoChecksum(inout Headers hdr, inout Meta meta) {
    apply { }
}

control Switch(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    action learn() {
        digest<learn_t>(CONTROLLER, { hdr.ethernet.src, standard.ingress_port });
    }
    action known() { }
    table sources {
        key = {
            hdr.ethernet.src:      exact;
            standard.ingress_port: exact;
        }
        actions = {
            known;
            learn;
        }
        default_action = learn();
        support_timeout = true;
        size = 4096;
    }

    action forward(bit<9> port) {
        standard.egress_spec = port;
    }
    action flood() {
        standard.mcast_grp = EVERYONE;
    }
    table destinations {
        key = {
            hdr.ethernet.dst: exact;
        }
        actions = {
            forward;
            flood;
        }
        default_action = flood();
        size = 4096;
    }

    apply {
        if (standard.parser_error != error.NoError) {
            mark_to_drop(standard);
            return;
        }
        sources.apply();
        destinations.apply();
        if (standard.mcast_grp == 0 && standard.egress_spec == standard.ingress_port) {
            mark_to_drop(standard);
        }
    }
}

// Of the copies for everyone, none goes back.
control Prune(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    apply {
        if (standard.egress_port == standard.ingress_port) {
            mark_to_drop(standard);
        }
    }
}

control Deparse(packet_out packet, in Headers hdr) {
    apply {
        packet.emit(hdr.ethernet);
    }
}

V1Switch(Parse(), NoChecksum(), Switch(), Prune(), NoChecksum(), Deparse()) main;
