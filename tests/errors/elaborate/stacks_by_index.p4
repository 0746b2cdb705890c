// expect: unsupported @ 25:19: of which header stack this is `next` is known at run time only
// expect-help: select a parser state for each stack
// expect: unsupported @ 33:15: the header stacks of which one is chosen here at run time stand at different
// expect-help: select a parser state for each
// expect: unsupported @ 34:9: which header stack this changes is known at run time only
// expect-help: select a parser state for each stack
#include <core.p4>
#include <xdp_model.p4>

header B {
    bit<8> v;
}

struct In {
    B[3] st;
}

struct Hdr { B b; B[2] one; B[2] two; }

parser P(packet_in p, out Hdr hd) {
    In[2] ins;
    In    one;
    state start {
        p.extract(hd.b);
        p.extract(ins[hd.b.v].st.next);
        transition select(ins[hd.b.v].st.lastIndex) {
            0: more;
            _: push;
        }
    }
    state more {
        p.extract(ins[1].st.next);
        one = ins[hd.b.v];
        ins[hd.b.v].st = { { 1 }, { 2 }, { 3 } };
        transition push;
    }
    state push {
        hd.b.v = ins[hd.b.v].st[hd.b.v].v + one.st[0].v;
        transition accept;
    }
}
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply { o = { xdp_action.XDP_PASS, 0 }; }
}
control D(in Hdr hd, packet_out p) { apply { p.emit(hd); } }
xdp(P(), C(), D()) main;
