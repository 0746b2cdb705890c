// SPDX-License-Identifier: Apache-2.0
// The key turns out to be constant and fits an entry, so the changeable default is out of reach.
#include <core.p4>
#include <xdp_model.p4>

struct Headers {
    bit<8> nothing;
}

parser Prs(packet_in packet, out Headers hd) {
    state start {
        transition accept;
    }
}

control Ingress(inout Headers hd, in xdp_input input, out xdp_output output) {
    bit<12> key = 0xfff;
    action send(bit<32> port) {
        output.output_port = port;
    }
    table by_mask {
        key = { key : ternary; }
        actions = { send; NoAction; }
        default_action = send(3);
        const entries = {
            1 &&& 0x7ff : NoAction();
            2 &&& 2 : send(5);
        }
    }
    table by_value {
        key = { key : exact; }
        actions = { send; NoAction; }
        default_action = send(4);
        const entries = {
            0xffd : NoAction();
            0xffe : NoAction();
            0xfff : send(6);
        }
    }
    apply {
        output.output_port = 0;
        output.output_action = xdp_action.XDP_REDIRECT;
        if (input.input_port == 1) {
            by_mask.apply();
        } else {
            by_value.apply();
        }
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply { }
}

xdp(Prs(), Ingress(), Deparser()) main;
