// expect: header-width @ 8:19: the part from field `c` on, without the varbit, of header `Options` is 12 bits
// expect-help: add a field of 4 bits
#include <core.p4>
#include <xdp_model.p4>
header Options { bit<8> a; varbit<320> b; bit<4> c; bit<8> d; }
struct Hdr { Options o; }
parser P(packet_in p, out Hdr hd) {
    state start { p.extract(hd.o, 32); transition accept; }
}
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply { o.output_action = xdp_action.XDP_PASS; o.output_port = 0; }
}
control D(in Hdr hd, packet_out p) { apply { p.emit(hd.o); } }
xdp(P(), C(), D()) main;
