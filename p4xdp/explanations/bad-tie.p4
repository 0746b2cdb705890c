#include <core.p4>
#include <v1model.p4>
header B { bit<8> v; }
struct H { B b; }
struct M { bit<2> colour; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    state start { p.extract(h.b); transition accept; }
}
control I(inout H h, inout M m, inout standard_metadata_t s) {
    direct_meter<bit<2>>(MeterType.packets) rates;
    action meter() { rates.read(m.colour); }
    table t { key = { h.b.v : exact; } actions = { meter; NoAction; } }
    apply { t.apply(); }
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
struct M { bit<2> colour; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    state start { p.extract(h.b); transition accept; }
}
control I(inout H h, inout M m, inout standard_metadata_t s) {
    direct_meter<bit<2>>(MeterType.packets) rates;
    action meter() { rates.read(m.colour); }
    table t { key = { h.b.v : exact; } actions = { meter; NoAction; } meters = rates; }
    apply { t.apply(); }
}
control C(inout H h, inout M m) { apply { } }
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h.b); } }
V1Switch(P(), C(), I(), E(), C(), D()) main;
