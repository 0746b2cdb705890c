// What public programs hold that compilers take although the specification does not ask for it:
// a comment that looks like a directive, a number for a type of `type`, a `size` below the entries
// or of 0.
#include <core.p4>
#include <v1model.p4>

#flags of the packet
type bit<8> Kind;
const Kind FIRST = 1;

header H { bit<8> key; bit<8> value; }
struct Hdr { H h; }
struct Meta { Kind kind; }

parser P(packet_in p, out Hdr hdr, inout Meta meta, inout standard_metadata_t s) {
    state start {
        meta.kind = FIRST;
        p.extract(hdr.h);
        transition accept;
    }
}

control I(inout Hdr hdr, inout Meta meta, inout standard_metadata_t s) {
    action set(bit<8> value) { hdr.h.value = value; }
    table t {
        key = { hdr.h.key: exact; }
        actions = { set; }
        default_action = set(9);
        size = 1;
        const entries = {
            1: set(11);
            2: set(12);
            3: set(13);
        }
    }
    action to(bit<9> port) { s.egress_spec = port; }
    table ports {
        key = { hdr.h.key: exact; }
        actions = { to; }
        default_action = to(2);
        size = 0;
    }
    apply {
        ports.apply();
        if (meta.kind == FIRST) {
            t.apply();
        }
    }
}

control V(inout Hdr hdr, inout Meta meta) { apply { } }
control E(inout Hdr hdr, inout Meta meta, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in Hdr hdr) { apply { p.emit(hdr.h); } }

V1Switch(P(), V(), I(), E(), V(), D()) main;
