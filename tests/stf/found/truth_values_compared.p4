// SPDX-License-Identifier: Apache-2.0
// Truth values compared with each other, and entries that a constant key decides.
#include <core.p4>
#include <xdp_model.p4>
typedef bit<48> mac_t;
header Ethernet { mac_t dst; mac_t src; bit<16> type; }
header H { bit<1> a; bit<1> b; bool p; bool q; bit<4> r; }
struct Hs { Ethernet e; H h; }
parser P(packet_in p, out Hs hs) { state start { p.extract(hs.e); p.extract(hs.h); transition accept; } }
control S(inout Hs hs, in xdp_input i, out xdp_output o) {
    action set(bit<4> v) { hs.h.r = v; }
    table none { key = { (hs.h.a & 0) : exact @name("k"); } actions = { set; NoAction; } const entries = { 1 : set(9); } }
    table some { key = { (hs.h.a & 0) : exact @name("k"); } actions = { set; NoAction; } const entries = { 0 : set(9); } const default_action = NoAction(); }
    table wild { key = { hs.h.a : ternary @name("k"); } actions = { set; NoAction; } const entries = { 1 : set(8); _ : set(6); } const default_action = NoAction(); }
    table first { key = { hs.h.a : ternary @name("k"); } actions = { set; NoAction; } const entries = { _ : set(5); 1 : set(4); } const default_action = NoAction(); }
    table two { key = { (hs.h.a & 0) ++ 1w1 : ternary @name("k"); } actions = { set; NoAction; } const entries = { 2 : set(5); 3 : set(4); } const default_action = NoAction(); }
    apply {
        o.output_action = xdp_action.XDP_TX; o.output_port = 0;
        bit<4> r = 0;
        if (!hs.h.p != hs.h.q) r = r | 1;
        if (~hs.h.a != hs.h.b) r = r | 2;
        if (!hs.h.p == !hs.h.q) r = r | 4;
        if ((hs.h.a == hs.h.b) == (hs.h.p == hs.h.q)) r = r | 8;
        hs.h.r = r;
        if (none.apply().hit) hs.h.r = 1;
        if (hs.h.r == 15) { if (some.apply().hit) hs.h.r = hs.h.r + 1; }
        if (hs.h.r == 0) { wild.apply(); }
        if (hs.h.r == 4) { first.apply(); }
        if (two.apply().hit) { hs.h.r = 0; }
    }
}
control D(in Hs hs, packet_out p) { apply { p.emit(hs.e); p.emit(hs.h); } }
xdp(P(), S(), D()) main;
