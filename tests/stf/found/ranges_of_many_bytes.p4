// SPDX-License-Identifier: Apache-2.0
// Four ranges of 16 bytes in a table of 1,024 entries: the verifier follows each branch of the comparison.
#include <core.p4>
#include <xdp_model.p4>

match_kind { range }

header Wide {
    bit<128> a;
    bit<128> b;
    bit<128> c;
    bit<128> d;
}

struct Headers {
    Wide wide;
}

parser Prs(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.wide);
        transition accept;
    }
}

control Ingress(inout Headers hd, in xdp_input input, out xdp_output output) {
    action mark(bit<128> a) {
        hd.wide.a = a;
    }
    table ranges {
        key = {
            hd.wide.a : range;
            hd.wide.b : range;
            hd.wide.c : range;
            hd.wide.d : range;
        }
        actions = { mark; NoAction; }
        size = 1024;
    }
    apply {
        output.output_port = 0;
        output.output_action = xdp_action.XDP_TX;
        ranges.apply();
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.wide);
    }
}

xdp(Prs(), Ingress(), Deparser()) main;
