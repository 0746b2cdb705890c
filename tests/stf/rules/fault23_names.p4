// SPDX-License-Identifier: Apache-2.0
// Parameters of the controls with names of the user's choice, and an apply block that uses them.

#include "../include/skeleton.p4"

parser Reader(packet_in bytes, out Hdr found) {
    state start {
        bytes.extract(found.eth);
        bytes.extract(found.h);
        transition accept;
    }
}

control Decide(inout Hdr p, in xdp_input hd, out xdp_output packet) {
    apply {
        packet.output_port = hd.input_port;
        packet.output_action = xdp_action.XDP_TX;
        p.h.a = p.h.a + 1;
    }
}

control Writer(in Hdr o, packet_out i) {
    apply {
        i.emit(o.eth);
        i.emit(o.h);
    }
}

xdp(Reader(), Decide(), Writer()) main;
