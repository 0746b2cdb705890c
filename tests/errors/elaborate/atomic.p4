// expect: unsupported @ 27:5: @atomic cannot be honoured: others may change `Pair` between
// expect-help: use one of them once in the block
// expect: unsupported @ 34:5: @atomic cannot be honoured: others may change `Pair` and `types`
// expect: unsupported @ 30:18: extern method `Pair.get` is not known to this target
// expect: unsupported @ 31:27: extern method `Pair.get` is not known to this target
// expect: unsupported @ 49:9: @atomic cannot be honoured: others may change `C.one` between its
// expect: unsupported @ 53:9: @atomic cannot be honoured: others may change `C.one` and `C.two`
#include <core.p4>
#include <xdp_model.p4>

header B {
    bit<8> v;
}

struct Hdr {
    B b;
}

extern Pair {
    Pair();
    bit<8> get();
}

parser P(packet_in p, out Hdr hd) {
    Pair() pair;
    value_set<bit<8>>(4) types;
    @atomic state start {
        p.extract(hd.b);
        hd.b.v = 1;
        hd.b.v = pair.get();
        transition select(pair.get()) { 1: accept; default: next; }
    }
    state both { transition accept; }
    @atomic state next {
        hd.b.v = pair.get();
        transition select(hd.b.v) { types: both; default: accept; }
    }
}
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    CounterArray(4, true) counter;
    action a() { counter.increment(1); }
    table one { key = { hd.b.v: exact; } actions = { a; } default_action = a(); }
    table two {
        actions = { a; }
        default_action = a();
    }
    apply {
        o = { xdp_action.XDP_PASS, 0 };
        @atomic {
            one.apply();
            one.apply();
        }
        @atomic {
            one.apply();
            two.apply();
        }
    }
}
control D(in Hdr hd, packet_out p) { apply { p.emit(hd); } }
xdp(P(), C(), D()) main;
