// The packet names its group; each copy says which one it is. Nothing but the copies asks for the
// number of the group behind ingress.
#include <core.p4>
#include <v1model.p4>

header H { bit<16> group; bit<16> copy; }
struct Hdr { H h; }
struct Meta { }

parser P(packet_in p, out Hdr hdr, inout Meta meta, inout standard_metadata_t s) {
    state start { p.extract(hdr.h); transition accept; }
}
control I(inout Hdr hdr, inout Meta meta, inout standard_metadata_t s) {
    apply { s.mcast_grp = hdr.h.group; }
}
control E(inout Hdr hdr, inout Meta meta, inout standard_metadata_t s) {
    apply { hdr.h.copy = s.egress_rid; }
}
control V(inout Hdr hdr, inout Meta meta) { apply { } }
control D(packet_out p, in Hdr hdr) { apply { p.emit(hdr.h); } }

V1Switch(P(), V(), I(), E(), V(), D()) main;
