// SPDX-License-Identifier: Apache-2.0
//
// One table over the destination MAC address, with the smallest control plane
// that does something: tools/mactable.c includes the generated mactable.h and
// enters, removes and lists addresses while the program runs. Packets for
// addresses with `Drop_action` are dropped, all others pass to the network stack.

#include <core.p4>
#include <xdp_model.p4>

header Ethernet {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

struct Headers {
    Ethernet eth;
}

parser Parser(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.eth);
        transition accept;
    }
}

control Switch(inout Headers hd, in xdp_input input, out xdp_output output) {
    action Fallback_action() {
        output.output_action = xdp_action.XDP_PASS;
        output.output_port = 0;
    }

    action Drop_action() {
        output.output_action = xdp_action.XDP_DROP;
        output.output_port = 0;
    }

    table mactable {
        key = {
            hd.eth.dst : exact;
        }
        actions = {
            Fallback_action;
            Drop_action;
        }
        default_action = Fallback_action();
        implementation = hash_table(64);
    }

    apply {
        mactable.apply();
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.eth);
    }
}

xdp(Parser(), Switch(), Deparser()) main;
