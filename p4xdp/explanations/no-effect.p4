#include <core.p4>
#include <v1model.p4>
header B { bit<8> v; }
struct H { B b; }
struct M { }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    state start { p.extract(h.b); transition accept; }
}
control I(inout H h, inout M m, inout standard_metadata_t s) {
    direct_counter(CounterType.packets) hits;
    action count() { hits.count(); }
    table t { key = { h.b.v : exact; } actions = { count; NoAction; } counters = hits; }
    table u { actions = { count; } default_action = count(); }
    apply { t.apply(); u.apply(); }
}
control C(inout H h, inout M m) { apply { } }
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h.b); } }
V1Switch(P(), C(), I(), E(), C(), D()) main;

// fixed:

#include <core.p4>
#include <v1model.p4>
header B { bit<8> v; }
struct H { B b; }
struct M { }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    state start { p.extract(h.b); transition accept; }
}
control I(inout H h, inout M m, inout standard_metadata_t s) {
    direct_counter(CounterType.packets) hits;
    counter(1, CounterType.packets) misses;
    action count() { }
    action miss() { misses.count(0); }
    table t { key = { h.b.v : exact; } actions = { count; NoAction; } counters = hits; }
    table u { actions = { miss; } default_action = miss(); }
    apply { t.apply(); u.apply(); }
}
control C(inout H h, inout M m) { apply { } }
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h.b); } }
V1Switch(P(), C(), I(), E(), C(), D()) main;
