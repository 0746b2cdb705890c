// A control that is applied by its type: the control plane knows its table before the first packet.
#include <core.p4>
#include <v1model.p4>

header H { bit<8> key; bit<8> value; }
struct Hdr { H h; }
struct Meta { }

parser P(packet_in p, out Hdr hdr, inout Meta meta, inout standard_metadata_t s) {
    state start { p.extract(hdr.h); transition accept; }
}
control Inner(inout Hdr hdr, inout standard_metadata_t s) {
    action to(bit<9> port) { s.egress_spec = port; }
    table t { key = { hdr.h.key: exact; } actions = { to; } }
    apply { t.apply(); }
}
control I(inout Hdr hdr, inout Meta meta, inout standard_metadata_t s) {
    apply { Inner.apply(hdr, s); }
}
control E(inout Hdr hdr, inout Meta meta, inout standard_metadata_t s) { apply { } }
control V(inout Hdr hdr, inout Meta meta) { apply { } }
control D(packet_out p, in Hdr hdr) { apply { p.emit(hdr.h); } }

V1Switch(P(), V(), I(), E(), V(), D()) main;
