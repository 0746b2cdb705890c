#include <core.p4>
#include <v1model.p4>
header B { bit<8> v; }
struct H { B b; }
struct M { }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
    state start { p.extract(h.b); transition accept; }
}
control I(inout H h, inout M m, inout standard_metadata_t s) {
    apply { s.egress_spec = 1; }
}
control C(inout H h, inout M m) { apply { } }
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { if (s.deq_qdepth > 10) { h.b.v = 1; } } }
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
    apply { s.egress_spec = 1; }
}
control C(inout H h, inout M m) { apply { } }
control E(inout H h, inout M m, inout standard_metadata_t s) { apply { h.b.v = 1; } }
control D(packet_out p, in H h) { apply { p.emit(h.b); } }
V1Switch(P(), C(), I(), E(), C(), D()) main;
