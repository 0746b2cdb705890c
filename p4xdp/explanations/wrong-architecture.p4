#include <core.p4>
control Only(inout bit<8> x);
package Mine(Only o);
control S(inout bit<8> x) { apply { x = 1; } }
Mine(S()) main;

// fixed:

#include <core.p4>
#include <xdp_model.p4>
header B { bit<8> v; }
struct Hdr { B b; }
parser P(packet_in p, out Hdr hd) {
    state start { p.extract(hd.b); transition accept; }
}
control S(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o = { xdp_action.XDP_PASS, 0 };
    }
}
control D(in Hdr hd, packet_out p) { apply { p.emit(hd.b); } }
xdp(P(), S(), D()) main;
