// expect: unsupported @ 28:9: too many headers in this list may be valid or not
// expect-help: hash fewer of them at once
// A hash is written out for each set of headers that may be valid; sums of whole words are not.
#include <core.p4>
#include <v1model.p4>

header One { bit<16> a; }
struct Headers { One[7] stack; }
struct Meta { bit<16> found; }

parser P(packet_in p, out Headers hd, inout Meta m, inout standard_metadata_t s) {
    state start {
        p.extract(hd.stack.next);
        transition select(hd.stack.last.a) {
            0: accept;
            _: start;
        }
    }
}

control V(inout Headers hd, inout Meta m) {
    apply { }
}

control I(inout Headers hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        hash(m.found, HashAlgorithm.csum16, 16w0, { hd.stack }, 32w0x10000);
        hash(m.found, HashAlgorithm.crc16, 16w0, { hd.stack }, 32w0x10000);
    }
}

control E(inout Headers hd, inout Meta m, inout standard_metadata_t s) {
    apply { }
}

control C(inout Headers hd, inout Meta m) {
    apply { }
}

control D(packet_out p, in Headers hd) {
    apply { p.emit(hd); }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
