// expect: unsupported @ 23:13: only fields of metadata can be kept
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
        @noWarn("deprecated") {
            clone3(CloneType.I2E, 1, { s.ingress_port + 1 });
        }
    }
}

control E(inout Headers hd, inout Meta m, inout standard_metadata_t s) {
    apply {
    }
}

control D(packet_out p, in Headers hd) {
    apply {}
}

V1Switch(P(), C(), I(), E(), C(), D()) main;
