// expect: bad-tie @ 38:9: property `counters` of table `wrong` takes one instance: `direct_counter`
// expect: bad-tie @ 39:9: property `implementation` of table `wrong` takes one instance: `action_profile` or 
// expect: bad-tie @ 49:9: `hits` belongs to table `first` already
// expect-help: give each table an object of its own
// expect: no-effect @ 52:9: `hits` belongs to table `first`, and is used for nothing outside
// expect: bad-tie @ 22:9: `loose` is used in action `count_loose`, which table `first` runs, but it belongs to no table
// expect-help: use a direct object in actions of its own table only
// expect: no-effect @ 25:9: `hits` belongs to table `first`, and is used for nothing in action `inner`, which
// expect: bad-tie @ 44:9: no action of table `first` reads `unread`
// expect-help: call `unread.read(...)` in its actions, or leave the property out
#include <core.p4>
#include <v1model.p4>
header B { bit<8> v; }
struct H { B b; }
struct M { bit<2> colour; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) { state start { p.extract(h.b); transition accept; } }
control In(inout H h, inout M m, inout standard_metadata_t s) {
    direct_counter(CounterType.packets) hits;
    direct_meter<bit<2>>(MeterType.bytes) unread;
    direct_meter<bit<2>>(MeterType.bytes) loose;
    action count_loose() {
        loose.read(m.colour);
    }
    action inner() {
        hits.count(); }
    action count() { inner(); }
    action fine() { hits.count(); }

    table wrong {
        key = { h.b.v: exact; }
        actions = { NoAction; }
        size = 16;
        default_action = NoAction();




        counters = unread;
        implementation = hits;
    }
    table first {
        key = { h.b.v: exact; }
        actions = { fine; count_loose; NoAction; }
        meters = unread;
        counters = hits;
    }
    table second {
        actions = { count; }
        counters = hits;
    }
    apply {
        hits.count(); wrong.apply(); first.apply(); second.apply();
    }
}
control V(inout H h, inout M m) { apply { } }
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h.b); } }
V1Switch(P(), V(), In(), E(), V(), D()) main;
