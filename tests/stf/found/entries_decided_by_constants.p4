// SPDX-License-Identifier: Apache-2.0
// Entries that a constant in the key rules out or always matches.
#include <core.p4>
#include <xdp_model.p4>
typedef bit<48> mac_t;
header Ethernet { mac_t dst; mac_t src; bit<16> type; }
header H { bit<8> a; bit<64> b; bit<8> r; }
struct Hs { Ethernet e; H h; }
parser P(packet_in p, out Hs hs) { state start { p.extract(hs.e); transition select(hs.e.type) { 0x88b5: more; default: accept; } } state more { p.extract(hs.h); transition accept; } }
control S(inout Hs hs, in xdp_input i, out xdp_output o) {
    action set(bit<8> v) { hs.h.r = v; }
    table never { key = { hs.h.b : exact; 64w7 : exact @name("seven"); } actions = { set; } default_action = set(3); const entries = { (1, 6) : set(9); (2, 8) : set(4); } }
    table always { key = { hs.h.b[31:0] : ternary @name("low"); } actions = { set; NoAction; } default_action = NoAction(); const entries = { 1 &&& 1 : set(1); _ : set(2); 0 &&& 1 : set(3); } }
    apply {
        o.output_action = xdp_action.XDP_TX; o.output_port = 0;
        if (hs.h.isValid()) {
            if (hs.h.a == 1) { switch (never.apply().action_run) { set: { hs.h.a = 5; } } }
            else { switch (always.apply().action_run) { set: { hs.h.a = hs.h.a + 1; } NoAction: { hs.h.a = 9; } } }
        }
    }
}
control D(in Hs hs, packet_out p) { apply { p.emit(hs.e); p.emit(hs.h); } }
xdp(P(), S(), D()) main;
