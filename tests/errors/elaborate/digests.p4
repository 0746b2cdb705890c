// expect: unsupported @ 28:9: a digest of a varbit is not supported
#include <core.p4>
#include <v1model.p4>

header Options {
    varbit<32> options;
}

struct Headers {
    Options o;
}

struct Meta {}

parser P(packet_in p, out Headers hd, inout Meta m, inout standard_metadata_t s) {
    state start {
        p.extract(hd.o, 32);
        transition accept;
    }
}

control C(inout Headers hd, inout Meta m) {
    apply {}
}

control I(inout Headers hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        digest(1, hd.o);
    }
}

control E(inout Headers hd, inout Meta m, inout standard_metadata_t s) {
    apply {}
}

control D(packet_out p, in Headers hd) {
    apply {}
}

V1Switch(P(), C(), I(), E(), C(), D()) main;
