// expect: unsupported @ 14:18: division of 100 bits by something else than a power of two
// expect-help: divide numbers of at most 64 bits
// expect: unsupported @ 15:9: division of 128 bits by something else than a power of two
#include <core.p4>
#include <xdp_model.p4>
header B { bit<100> v; bit<28> w; bit<128> x; }
struct Hdr { B b; }
parser P(packet_in p, out Hdr hd) { state start { p.extract(hd.b); transition accept; } }
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.b.v = hd.b.v / 64;
        hd.b.v = hd.b.v % 5;
        hd.b.x /= 3;
        hd.b.w = hd.b.w / 3;
    }
}
control D(in Hdr hd, packet_out p) { apply { p.emit(hd.b); } }
xdp(P(), C(), D()) main;
