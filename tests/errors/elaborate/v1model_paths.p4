// expect: unsupported @ 23:9: `clone` is not supported
// expect: unsupported @ 30:9: recirculation in a program that replicates packets
#include <core.p4>
#include <v1model.p4>

struct Headers {}

struct Meta {}

parser P(packet_in p, out Headers hd, inout Meta m, inout standard_metadata_t s) {
    state start {
        transition accept;
    }
}

control C(inout Headers hd, inout Meta m) {
    apply {}
}

control I(inout Headers hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        s.mcast_grp = 1;
        clone(CloneType.I2E, 1);
    }
}

control E(inout Headers hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        // a copy may ask for it
        recirculate_preserving_field_list(1);
    }
}

control D(packet_out p, in Headers hd) {
    apply {}
}

V1Switch(P(), C(), I(), E(), C(), D()) main;
