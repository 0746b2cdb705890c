// expect: unsupported @ 19:5: a method that uses `total` is called where there is no `total`
// expect-help: pass it to the method as an argument
#include <core.p4>
#include <xdp_model.p4>

header B {
    bit<8> v;
}

struct Hdr {
    B b;
}

extern Custom { Custom(); abstract bit<8> f(in bit<8> x); }
parser P(packet_in p, out Hdr hd) { state start { p.extract(hd.b); transition accept; } }
control Inner(inout bit<8> v)(Custom custom) { apply { v = custom.f(v); } }

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    bit<8> total = 3;
    Custom() custom = {
        bit<8> f(in bit<8> x) { return total + x; }
    };
    Inner(custom) inner;
    apply {
        o = { xdp_action.XDP_PASS, 0 };
        hd.b.v = custom.f(total);
        inner.apply(hd.b.v);
    }
}
control D(in Hdr hd, packet_out p) { apply { p.emit(hd); } }
xdp(P(), C(), D()) main;
