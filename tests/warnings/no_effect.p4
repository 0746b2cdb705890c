// expect: no-effect @ 18:9: `hits` belongs to table `first`, and is used for nothing outside of the actions of a table
// expect-help: leave the call out: it has a meaning
// expect: no-effect @ 16:25: `hits` belongs to table `first`, and is used for nothing in action `both`, which table `second` runs
// expect: no-effect @ 16:58: `loose` belongs to no table, and is used for nothing in action `both`
// expect: no-effect @ 17:27: `hits` belongs to table `first`, and is used for nothing in action `called`, which is called outside
#include <core.p4>
#include <v1model.p4>
header B { bit<8> v; }
struct H { B b; }
struct M { }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) { state start { p.extract(h.b); transition accept; } }
control V(inout H h, inout M m) { apply { } }
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control In(inout H h, inout M m, inout standard_metadata_t s) {
    direct_counter(CounterType.packets) hits; direct_counter(CounterType.packets) loose;
    action both()     { hits.count(); s.egress_spec = 1; loose.count(); }
    action called()     { hits.count(); } action own() { hits.count(); } table first { key = { h.b.v: exact; } actions = { both; own; NoAction; } counters = hits; } table second { key = { h.b.v: exact; } actions = { both; NoAction; } } apply { first.apply(); second.apply(); called();
        hits.count();
    }
}
control D(packet_out p, in H h) { apply { p.emit(h.b); } }
V1Switch(P(), V(), In(), E(), V(), D()) main;
