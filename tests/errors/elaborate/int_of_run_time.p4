// expect: not-constant @ 9:32: a run-time `bit<8>` cannot become an `int`
// expect-help: cast it to `int<W>` or `bit<W>`
#include <core.p4>
#include <xdp_model.p4>
header B { bit<8> v; }
struct Hdr { B b; }
parser P(packet_in p, out Hdr hd) { state start { p.extract(hd.b); transition accept; } }
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply { hd.b.v = (bit<8>) ((int) hd.b.v + 1); o = { xdp_action.XDP_PASS, 0 }; }
}
control D(in Hdr hd, packet_out p) { apply { p.emit(hd); } }
xdp(P(), C(), D()) main;
