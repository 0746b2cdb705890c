// SPDX-License-Identifier: Apache-2.0
// Arguments with names are evaluated, and copied out, as they stand in the call, whatever the order of the parameters.
#include <core.p4>
#include <xdp_model.p4>

header Ethernet { bit<48> dst; bit<48> src; bit<16> type; }
header Bytes { bit<8> a; bit<8> b; bit<8> c; bit<8> d; }
struct Headers { Ethernet eth; Bytes h; }

bit<8> next(inout bit<8> count) {
    count = count + 1;
    return count;
}

bit<8> minus(in bit<8> x, in bit<8> y) {
    return x - y;
}

void both(out bit<8> x, out bit<8> y) {
    x = 1;
    y = 2;
}

parser Prs(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.eth);
        packet.extract(hd.h);
        transition accept;
    }
}

control Ingress(inout Headers hd, in xdp_input input, out xdp_output output) {
    bit<8> count = 10;
    action set(in bit<8> x, inout bit<8> y) {
        hd.h.d = x;
        y = y + 1;
    }
    apply {
        output.output_port = 0;
        output.output_action = xdp_action.XDP_TX;
        hd.h.a = minus(y = next(count), x = next(count));
        hd.h.b = minus(y = count, x = next(count));
        both(y = hd.h.c, x = hd.h.c);
        set(y = count, x = next(count));
        hd.h.d = hd.h.d - count;
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.eth);
        packet.emit(hd.h);
    }
}

xdp(Prs(), Ingress(), Deparser()) main;
