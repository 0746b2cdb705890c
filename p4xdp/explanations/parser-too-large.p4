#include <core.p4>
#include <xdp_model.p4>
header B { bit<8> v; }
struct Hdr { B b; }
parser P(packet_in p, out Hdr hd) {
    state start { transition select(p.lookahead<bit<8>>()) { 0: start; 1: a; _: accept; } }
    state a { p.advance(8); transition select(p.lookahead<bit<8>>()) { 0: a; 1: b; _: start; } }
    state b { p.advance(8); transition select(p.lookahead<bit<8>>()) { 0: b; 1: c; _: a; } }
    state c { p.advance(8); transition select(p.lookahead<bit<8>>()) { 0: c; _: b; } }
}
control S(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o = { xdp_action.XDP_PASS, 0 };
    }
}
control D(in Hdr hd, packet_out p) { apply { p.emit(hd.b); } }
xdp(P(), S(), D()) main;

// fixed:

#include <core.p4>
#include <xdp_model.p4>
header B { bit<8> v; }
struct Hdr { B b; }
parser P(packet_in p, out Hdr hd) {
    state start { transition select(p.lookahead<bit<8>>()) { 0: a; _: accept; } }
    state a { p.advance(8); transition start; }
}
control S(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o = { xdp_action.XDP_PASS, 0 };
    }
}
control D(in Hdr hd, packet_out p) { apply { p.emit(hd.b); } }
xdp(P(), S(), D()) main;
