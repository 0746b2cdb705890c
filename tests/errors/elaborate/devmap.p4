// expect: devmap-size @ 12:1: @devmap needs the number of ports
// expect-help: write @devmap(64)
#include <core.p4>
#include <xdp_model.p4>
struct Hdr {}
parser P(packet_in p, out Hdr hd) { state start { transition accept; } }
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply { o.output_action = xdp_action.XDP_PASS; o.output_port = 0; }
}
control D(in Hdr hd, packet_out p) { apply { } }

@devmap xdp(P(), C(), D()) main;
