// SPDX-License-Identifier: Apache-2.0
// What is emitted, how often and in which order depends on the packet.
#include <core.p4>
#include <xdp_model.p4>
typedef bit<48> mac_t;
header Ethernet { mac_t dst; mac_t src; bit<16> type; }
header A { bit<8> k; bit<8> v; }
header B { bit<24> x; }
header C { bit<8> only; }
struct Hs { Ethernet e; A a; B b; C c; Ethernet oe; A oa; B ob; A[3] st; }
parser P(packet_in p, out Hs hs) {
    state start { p.extract(hs.e); p.extract(hs.a); transition select(hs.a.k) { 0 .. 0x1f: pb; 0x20 &&& 0xf0: pc; 0x30: pst; default: accept; } }
    state pb { p.extract(hs.b); transition select(hs.a.k) { 0x10 .. 0x1f: pc; default: accept; } }
    state pc { p.extract(hs.c); transition accept; }
    state pst { p.extract(hs.st[0]); p.extract(hs.st[1]); transition accept; }
}
control S(inout Hs hs, in xdp_input i, out xdp_output o) {
    apply {
        o.output_action = xdp_action.XDP_TX; o.output_port = 0;
        bit<8> k = hs.a.k;
        if (k == 0) { hs.b.setInvalid(); }
        else if (k == 1) { hs.oe = hs.e; hs.oe.type = 0x1111; hs.oa.setValid(); hs.oa = { 0xaa, 0xbb }; }
        else if (k == 2) { hs.c.setValid(); hs.c.only = hs.b.x[15:8]; hs.b.setInvalid(); }
        else if (k == 3) { A t = hs.a; hs.a.v = 0; hs.oa = t; hs.oa.k = 0xcc; hs.ob = hs.b; hs.ob.x = hs.ob.x + 1; }
        else if (k == 4) { hs.e.setInvalid(); hs.a.setInvalid(); hs.b.setInvalid(); }
        else if (k == 5) { hs.e.dst = hs.e.src; hs.e.src = hs.e.dst; }
        else if (k == 6) { hs.ob = hs.b; hs.b.x = 0x123456; }
        else if (k == 0x10) { hs.oe = hs.e; hs.ob = hs.b; hs.oa = hs.a; hs.c.only = hs.c.only + 1; }
        else if (k == 0x11) { hs.a.setInvalid(); hs.a.setValid(); hs.a.v = 1; hs.a.k = 2; }
        else if (k == 0x20) { hs.b.x = 5; hs.c.setInvalid(); }
        else if (k == 0x21) { hs.b.setValid(); hs.b.x = hs.c.only ++ hs.c.only ++ hs.c.only; }
        else if (k == 0x30) { hs.st.push_front(1); hs.st[0] = { 9, hs.st[1].v }; }
        else if (k == 0x40) { hs.st[2].setValid(); hs.st[2].k = 0x22; hs.st[2].v = hs.a.v; hs.st[0] = hs.a; }
    }
}
control D(in Hs hs, packet_out p) {
    apply {
        p.emit(hs.oe); p.emit(hs.oa); p.emit(hs.ob);
        p.emit(hs.e);
        if (hs.a.k == 0x10) { p.emit(hs.c); }
        p.emit(hs.a);
        p.emit(hs.st);
        p.emit(hs.b);
        if (hs.a.k == 6) { p.emit(hs.b); p.emit(hs.b); }
        p.emit(hs.c);
    }
}
xdp(P(), S(), D()) main;
