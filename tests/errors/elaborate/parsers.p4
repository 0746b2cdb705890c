// expect: unsupported @ 27:17: the packet is read under a condition inside a loop or switch
// expect-help: select a parser state that reads it
// expect: unsupported @ 34:9: a stack element to extract must have an index known at compile time
// expect-help: use `.next`
// expect: unsupported @ 36:13: a call in a keyset
// expect: unsupported @ 42:13: parser value sets are not supported
// expect-help: list the values
// expect: unsupported @ 48:9: the branches of this statement leave a header stack at different places
#include <core.p4>
#include <xdp_model.p4>
header B { bit<8> v; }
struct Hdr { B b; B c; B[2] st; B[2] other; } bit<8> twice(in bit<8> v) { return v + v; }
parser P(packet_in p, out Hdr hd) {
    value_set<bit<8>>(4) many;
    state start {
        p.extract(hd.b);
        transition select(hd.b.v) {
            1: in_loop;
            2: index;
            3: set;
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
    state set {
        transition select(hd.b.v) {
            many: accept;
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
