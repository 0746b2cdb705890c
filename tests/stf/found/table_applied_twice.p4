// SPDX-License-Identifier: Apache-2.0
// One table applied in several places, and keys that are constants.
#include <core.p4>
#include <xdp_model.p4>
typedef bit<48> mac_t;
header Ethernet { mac_t dst; mac_t src; bit<16> type; }
header H { bit<8> a; bit<8> b; bit<64> w; bit<128> x; }
struct Hs { Ethernet e; H h; }
parser P(packet_in p, out Hs hs) { state start { p.extract(hs.e); p.extract(hs.h); transition accept; } }
control S(inout Hs hs, in xdp_input i, out xdp_output o) {
    action set(bit<8> v) { if (hs.h.b == v) { hs.h.b = hs.h.b * 3 + v; if (hs.h.b > 100) { hs.h.b = hs.h.b - 100; } else { hs.h.b = hs.h.b + 7; } } else if (hs.h.b > v) { hs.h.b = v; } else { hs.h.b = hs.h.b + v; } }
    action inc() { hs.h.b = hs.h.b + 1; }
    table t { key = { hs.h.a : exact; } actions = { set; inc; } const default_action = set(5); }
    table c { key = { 64w0x1122334455667788 : exact @name("c64"); hs.h.a : exact @name("a"); 128w0x90a228b6713c111290a228b6713c1112 : exact @name("c128"); 16w0xabcd : exact @name("c16"); } actions = { set; inc; } const default_action = inc(); }
    apply {
        o.output_action = xdp_action.XDP_TX; o.output_port = 0;
        if (hs.h.a < 0x80) { t.apply(); } else { hs.h.b = 5; if (t.apply().hit) hs.h.b = hs.h.b + 1; t.apply(); }
        c.apply();
    }
}
control D(in Hs hs, packet_out p) { apply { p.emit(hs.e); p.emit(hs.h); } }
xdp(P(), S(), D()) main;
