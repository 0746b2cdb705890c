// expect: no-start-state @ 16:8: parser `NoStart` has no state `start`
// expect: never-ends @ 20:8: parser `Endless` never reaches `accept` or `reject`
// expect: undeclared @ 31:21: state `nxet` is not declared
// expect-help: did you mean `next`?
// expect: wrong-count @ 32:13: 3 values for the 2 keys of the `select`
// expect: type-mismatch @ 33:14: cannot match `bit<16>` with `hd.h.a` (`bit<8>`)
// expect: type-mismatch @ 39:13: value set `kinds` holds `bit<16>`, the `select` decides on `bit<8>`
// expect: type-mismatch @ 40:18: cannot match `bit<16>` with `hd.h.a` (`bit<8>`)
// expect: bad-operand @ 45:27: `select` cannot decide on `H`

#include <core.p4>

header H { bit<8> a; bit<16> b; }
struct Headers { H h; }

parser NoStart(packet_in packet) {
    state first { transition accept; }
}

parser Endless(packet_in packet) {
    state start { transition again; }
    state again { transition start; }
}

parser P(packet_in packet, out Headers hd) {
    value_set<bit<16>>(4) kinds;
    state start {
        packet.extract(hd.h);
        transition select(hd.h.a, hd.h.b) {
            (1, 2): accept;
            (1, 2): nxet;
            (1, 2, 3): next;
            (16w1, 2): next;
            default: next;
        }
    }
    state next {
        transition select(hd.h.a) {
            kinds: accept;
            1 .. 16w2: accept;
            default: last;
        }
    }
    state last {
        transition select(hd.h) {
            default: accept;
        }
    }
}
