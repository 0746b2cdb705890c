// expect: parser-too-large @ 6:1: parser `P` needs more than 4096 states
// expect-help: use smaller stacks
#include <core.p4>
#include <xdp_model.p4>
struct Hdr {}
parser P(packet_in p, out Hdr hd) {
    state start { transition select(p.lookahead<bit<8>>()) { 0: start; 1: a; _: accept; } }
    state a { p.advance(8); transition select(p.lookahead<bit<8>>()) { 0: a; 1: b; _: start; } }
    state b { p.advance(8); transition select(p.lookahead<bit<8>>()) { 0: b; 1: c; _: a; } }
    state c { p.advance(8); transition select(p.lookahead<bit<8>>()) { 0: c; _: b; } }
}
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply { o.output_action = xdp_action.XDP_PASS; o.output_port = 0; }
}
control D(in Hdr hd, packet_out p) { apply { } }
xdp(P(), C(), D()) main;
