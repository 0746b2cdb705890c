// expect: unsupported @ 22:17: the packet is read under a condition inside a loop or switch
// expect-help: read it in a state of its own
// expect: unsupported @ 31:13: a call with side effects in a keyset is not supported
// expect-help: compute the value before, in a variable
// expect: unsupported @ 37:9: the branches of this statement leave a header stack at different places
#include <core.p4>
#include <xdp_model.p4>
header B { bit<8> v; }
struct Hdr { B b; B c; B[2] st; B[2] other; } bit<8> twice(inout bit<8> v) { return v + v; }
parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.b);
        transition select(hd.b.v) {
            1: in_loop;
            2: index;
            _: shift;
        }
    }
    state in_loop {
        for (bit<8> n in 0 .. 3) {
            if (hd.b.v == n) {
                p.advance(8);
            }
        }
        transition accept;
    }
    state index {
        hd.st[0].setValid();
        p.extract(hd.st[hd.b.v]);
        transition select(hd.b.v) {
            twice(hd.b.v): accept;
            _: reject;
        }
    }
    state shift {
        for (bit<8> n in 0 .. 1) {
        if (hd.b.v == n) { hd.other.push_front(1); }
        }
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
        p.emit(hd);
    }
}
xdp(P(), C(), D()) main;
