// expect: unsupported @ 19:9: the match kind `closest` is not supported
// expect-help: this target has exact, lpm, ternary, optional, range
// expect: out-of-range @ 25:13: table `filled` is an array of 1 cells: there is none with the number 1
// expect: table-size @ 28:5: table `small` has 2 entries but size 1: it gets room for all
// expect: unsupported @ 40:9: this implementation is not known to this target
// expect: unreachable-entry @ 50:13: this entry never matches, as an entry before it matches all
// expect: unreachable-entry @ 51:13: this entry never matches, as an entry before it matches all
// expect: unreachable-entry @ 52:13: this entry never matches, as an entry before it has the same keys
// expect: unknown-property @ 46:9: table property `counters` has no meaning here
#include <core.p4>
#include <xdp_model.p4>
match_kind { closest }
header B { bit<8> v; }
struct Hdr { B b; }
parser P(packet_in p, out Hdr hd) { state start { p.extract(hd.b); transition accept; } }
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action a() { }
    table ranged { key = {
        hd.b.v: closest;
    } actions = { a; } }
    table filled {
        key = { hd.b.v: exact; }
        actions = { a; } implementation = array_table(1);
        entries = {
            1: a();
        }
    }
    table small {
        key = { hd.b.v: exact; }
        actions = { a; }
        size = 1;
        const entries = {
            1: a();
            2: a();
        }
    }
    table mapped {
        key = { hd.b.v: exact; }
        actions = { a; }
        implementation = CounterArray(16, true);
    }
    table counted {
        key = { hd.b.v: ternary; }
        actions = { a; }
        default_action = a();
        counters = 1;
        const entries = {
            1 &&& 3: a();
            2: a();
            1 &&& 7: a();
            5: a();
            5 &&& 3: a();
        }
    }
    apply {
        o.output_action = xdp_action.XDP_PASS;
        o.output_port = 0;
        ranged.apply();
        filled.apply();
        small.apply();
        mapped.apply();
        counted.apply();
    }
}
control D(in Hdr hd, packet_out p) { apply { p.emit(hd); } }
xdp(P(), C(), D()) main;
