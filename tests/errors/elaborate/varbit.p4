// expect: unsupported @ 11:11: header `Options` has a varbit field, which is not supported yet
// expect-help: declare one header for each length that occurs
#include <core.p4>
#include <xdp_model.p4>
header Options { varbit<320> o; }
struct Hdr { Options o; }
parser P(packet_in p, out Hdr hd) {
    state start { p.extract(hd.o, 32); transition accept; }
}
// The headers' storage belongs to the control.
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply { o.output_action = xdp_action.XDP_PASS; o.output_port = 0; }
}
control D(in Hdr hd, packet_out p) { apply { p.emit(hd.o); } }
xdp(P(), C(), D()) main;
