// expect: unsupported @ 20:13: a parser applied inside a loop is not supported
// expect-help: apply it in a state that leads back
// expect: unsupported @ 34:17: the control plane cannot give a varbit to an action
// expect-help: give it as a bit<W>
// expect: unsupported @ 39:79: extern method `Custom.g` is not known to this target
#include <core.p4>
#include <xdp_model.p4>
header B { bit<8> v; } header V { bit<8> n; varbit<16> rest; }
struct Hdr { B b; }
extern Custom { Custom(); abstract bit<8> f(in bit<8> x); bit<8> g(); }
parser Sub(packet_in p, inout B b) {
    state start {
        p.advance(8);
        transition accept;
    }
}
parser P(packet_in p, out Hdr hd) {
    state start {
        for (bit<8> n in 0 .. 3) {
            Sub.apply(p, hd.b);
        }
        transition more;
    }
    state more {
        hd.b.v = 1;

        transition accept;
    }
}
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    Custom() custom = {
        bit<8> f(in bit<8> x) { return x; }
    };
    action take(V v) { hd.b.v = v.n; }
    table t {
        key = { hd.b.v: exact; }
        actions = { take; NoAction; }
    }
    apply { o = { xdp_action.XDP_PASS, 0 }; t.apply(); hd.b.v = custom.f(1) + custom.g(); }
}
control D(in Hdr hd, packet_out p) { apply { p.emit(hd); } }
xdp(P(), C(), D()) main;
