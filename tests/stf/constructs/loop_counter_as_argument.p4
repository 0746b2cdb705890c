// SPDX-License-Identifier: Apache-2.0
// Loops whose counter is handed to functions, actions and controls that cannot change it.
#include <core.p4>
#include <xdp_model.p4>

header Ethernet { bit<48> dst; bit<48> src; bit<16> type; }
header Sums { bit<8> a; bit<8> b; bit<8> c; }
struct Headers { Ethernet eth; Sums sums; }

bit<8> twice(in bit<8> x) {
    return x + x;
}

control Add(in bit<8> x, inout bit<8> sum) {
    apply {
        sum = sum + x;
    }
}

parser Prs(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.eth);
        packet.extract(hd.sums);
        transition accept;
    }
}

control Ingress(inout Headers hd, in xdp_input input, out xdp_output output) {
    Add() add;
    action double(in bit<8> x) {
        hd.sums.b = hd.sums.b + twice(x);
    }
    apply {
        output.output_port = 0;
        output.output_action = xdp_action.XDP_TX;
        for (bit<8> i = 1; i < 5; i += 1) {
            add.apply(i, hd.sums.a);
            double(i);
        }
        for (bit<8> i in 8w2 .. 8w4) {
            hd.sums.c = hd.sums.c + twice(i);
        }
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.eth);
        packet.emit(hd.sums);
    }
}

xdp(Prs(), Ingress(), Deparser()) main;
