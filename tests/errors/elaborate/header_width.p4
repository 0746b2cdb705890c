// expect: header-width @ 11:9: header `N` is 3 bits wide, which is not a whole number of bytes
// expect-help: add a field of 5 bits
#include <core.p4>
#include <xdp_model.p4>
header N { bit<3> x; }
struct Hdr { N n; }
parser P(packet_in p, out Hdr hd) {
    state start {
        N other;
        other = hd.n;
        p.extract(hd.n);
        transition accept;
    }
}
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_action = xdp_action.XDP_PASS;
        o.output_port = 0;
    }
}
control D(in Hdr hd, packet_out p) {
    apply {
    }
}
xdp(P(), C(), D()) main;
