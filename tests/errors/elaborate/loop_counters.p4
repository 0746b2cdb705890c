// expect: unsupported @ 30:21: how often this loop runs at most is not known
// expect: unsupported @ 33:21: how often this loop runs at most is not known
#include <core.p4>
#include <xdp_model.p4>
header B { bit<8> v; }
struct Hdr { B b; }
parser P(packet_in p, out Hdr hd) { state start { p.extract(hd.b); transition accept; } }
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    bit<8> n;
    action step() {
        n = n + 1;
    }
    action twice(inout bit<8> x) {
        x = x + x;
    }
    table by_name {
        key = { hd.b.v: exact; }
        actions = { step; NoAction; }
        default_action = step();
    }
    table by_argument {
        key = { hd.b.v: exact; }
        actions = { twice(n); NoAction; }
        default_action = twice(n);
    }
    apply {
        o.output_action = xdp_action.XDP_PASS;
        o.output_port = 0;
        // the tables change the counter, too
        for (n = 0; n < 8; n = n + 1) {
            by_name.apply();
        }
        for (n = 0; n < 8; n = n + 1) {
            by_argument.apply();
        }
    }
}
control D(in Hdr hd, packet_out p) { apply { p.emit(hd); } }
xdp(P(), C(), D()) main;
