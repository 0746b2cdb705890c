// SPDX-License-Identifier: Apache-2.0
// More headers than one expression adds up, in another order than they were parsed in, of which
// any may be there or not: those whose bit is set in the mask.
#include <core.p4>
#include <v1model.p4>

header Mask {
    bit<32> bits;
}

header H {
    bit<8> v;
}

struct Hdr {
    Mask mask;
    H h0;
    H h1;
    H h2;
    H h3;
    H h4;
    H h5;
    H h6;
    H h7;
    H h8;
    H h9;
    H h10;
    H h11;
    H h12;
    H h13;
    H h14;
    H h15;
    H h16;
    H h17;
    H h18;
    H h19;
    H h20;
    H h21;
    H h22;
    H h23;
}

struct Meta {
}

parser P(packet_in p, out Hdr hd, inout Meta m, inout standard_metadata_t s) {
    state start {
        p.extract(hd.mask);
        transition accept;
    }
}

#define SET(N)                      \
    if (hd.mask.bits[N:N] == 1) {   \
        hd.h##N.setValid();         \
        hd.h##N.v = N;              \
    }

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = 1;
        SET(0)
        SET(1)
        SET(2)
        SET(3)
        SET(4)
        SET(5)
        SET(6)
        SET(7)
        SET(8)
        SET(9)
        SET(10)
        SET(11)
        SET(12)
        SET(13)
        SET(14)
        SET(15)
        SET(16)
        SET(17)
        SET(18)
        SET(19)
        SET(20)
        SET(21)
        SET(22)
        SET(23)
    }
}

control None(inout Hdr hd, inout Meta m) {
    apply { }
}

control E(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply { }
}

control D(packet_out p, in Hdr hd) {
    apply {
        p.emit(hd.h0);
        p.emit(hd.h1);
        p.emit(hd.h2);
        p.emit(hd.h3);
        p.emit(hd.h4);
        p.emit(hd.h5);
        p.emit(hd.h6);
        p.emit(hd.h7);
        p.emit(hd.h8);
        p.emit(hd.h9);
        p.emit(hd.h10);
        p.emit(hd.h11);
        p.emit(hd.h12);
        p.emit(hd.h13);
        p.emit(hd.h14);
        p.emit(hd.h15);
        p.emit(hd.h16);
        p.emit(hd.h17);
        p.emit(hd.h18);
        p.emit(hd.h19);
        p.emit(hd.h20);
        p.emit(hd.h21);
        p.emit(hd.h22);
        p.emit(hd.h23);
        p.emit(hd.mask);
    }
}

V1Switch(P(), None(), I(), E(), None(), D()) main;
