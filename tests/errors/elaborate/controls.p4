// expect: unsupported @ 32:9: extern function `clone_it` is not known to this target
// expect-help: write it in C and give the file with `--extern FILE.c`
// expect: unsupported @ 33:9: extern method `Meter.measure` is not known to this target
// expect: unsupported @ 34:28: how often this loop runs at most is not known
// expect: loop-too-long @ 37:9: this loop may run more than 1024 times
// expect: control-plane-name @ 17:5: two instances have the control-plane name `C.Twice.t`
// expect-help: give one of them another name
#include <core.p4>
#include <xdp_model.p4>
header B { bit<8> v; }
struct Hdr { B b; B[2] st; }
extern void clone_it();
extern Meter { Meter(); void measure(in bit<8> i); }
parser P(packet_in p, out Hdr hd) { state start { p.extract(hd.b); transition accept; } }
control Twice(inout bit<8> v) {
    action set(bit<8> n) { v = n; }
    table t {
        key = { v: exact; }
        actions = { set; NoAction; }
    }
    apply {
        t.apply();
    }
}
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    Meter() meter;
    CounterArray(4, true) counter;
    bit<8>[2][3] grid;
    apply {
        o.output_action = xdp_action.XDP_PASS;
        o.output_port = 0;
        clone_it();
        meter.measure(1);
        for (bit<8> n = 0; n != hd.b.v; n += 1) {
            hd.b.v += 1;
        }
        for (bit<16> n = 0; n < 2000; n += 1) {
        }
        @atomic {
            counter.increment(1);
            counter.increment(2);
        }
        hd.b.v = grid[hd.b.v][hd.st[0].v];
        Twice.apply(hd.b.v);
        Twice.apply(hd.b.v);
    }
}
control D(in Hdr hd, packet_out p) { apply { p.emit(hd); } }
xdp(P(), C(), D()) main;
