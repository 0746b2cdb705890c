// expect: unsupported @ 20:9: this implementation is not known to this target
// expect-help: use hash_table(size), array_table(size), an action profile
#include <core.p4>
#include <xdp_model.p4>
header B { bit<8> v; }
struct H { B b; }
parser P(packet_in p, out H h) {
    state start {
        p.extract(h.b);
        transition accept;
    }
}
control C(inout H h, in xdp_input i, out xdp_output o) {
    action pass() {
        o = { xdp_action.XDP_PASS, 0 };
    }
    table t {
        key = { h.b.v: exact; }
        actions = { pass; }
        implementation = 1024;
        default_action = pass;
    }
    apply { t.apply(); }
}
control D(in H h, packet_out p) {
    apply { p.emit(h.b); }
}
xdp(P(), C(), D()) main;
