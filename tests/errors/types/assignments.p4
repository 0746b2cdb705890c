// expect: type-mismatch @ 38:15: cannot initialise `Z` (`int`) with `bit<2>`
// expect-help: cast: `(int)2w3`
// expect: type-mismatch @ 39:18: cannot initialise `W` (`bit<8>`) with `bit<16>`
// expect-help: cast: `(bit<8>)16w1`
// expect: type-mismatch @ 49:15: cannot assign `bit<16>` to `h.a` (`bit<8>`)
// expect-help: cast: `(bit<8>)h.b`
// expect: type-mismatch @ 50:15: cannot assign `bit<16>` to `h.a` (`bit<8>`)
// expect-help: cast: `(bit<8>)(h.b + 1)`
// expect: type-mismatch @ 51:15: cannot assign `int<8>` to `h.b` (`bit<16>`)
// expect-help: cast twice, first the sign and then the width: `(bit<16>)(bit<8>)h.c`
// expect: type-mismatch @ 52:15: cannot assign `bool` to `h.a` (`bit<8>`)
// expect-help: cast twice: `(bit<8>)(bit<1>)h.d`
// expect: type-mismatch @ 53:15: cannot assign `bit<8>` to `h.d` (`bool`)
// expect-help: compare: `h.a != 0`
// expect: type-mismatch @ 54:16: cannot assign `bit<8>` to `port` (`Port`)
// expect-help: cast: `(Port)h.a`
// expect: type-mismatch @ 55:16: cannot assign `bit<8>` to `kind` (`Kind`)
// expect-help: cast: `(Kind)h.a`
// expect: wrong-count @ 57:13: 1 value for `S`, which has 2 fields
// expect-help: end the list in `...`
// expect: wrong-count @ 58:13: 3 values for `S`, which has 2 fields
// expect: type-mismatch @ 59:18: cannot initialise field `y` of `S` (`bit<8>`) with `bit<16>`
// expect: missing-field @ 60:13: no value for field `y` of `S`
// expect: no-such-field @ 61:33: `S` has no field `z`
// expect: type-mismatch @ 63:23: cannot initialise element 1 of `tuple<bit<8>, bool>` (`bool`) with `bit<8>`
// expect: not-an-lvalue @ 64:9: cannot assign to `s.x`: `s` is an `in` parameter
// expect: not-an-lvalue @ 65:9: cannot assign to `SEVEN`: it is a constant
// expect: out-of-range @ 66:13: bit 8 is outside `bit<8>`, whose highest bit is 7
// expect: type-mismatch @ 67:9: the operands of `+` differ: `bit<8>` and `bit<16>`

#include <core.p4>

header H { bit<8> a; bit<16> b; int<8> c; bool d; }
struct S { bit<8> x; bit<8> y; }
enum bit<8> Kind { low = 1, high = 2 }
type bit<8> Port;

const int Z = 2w3;
const bit<8> W = 16w1;

const bit<8> SEVEN = 7;

control C(inout H h, in S s) {
    S t;
    Port port;
    Kind kind;
    tuple<bit<8>, bool> pair;
    apply {
        h.a = h.b;
        h.a = h.b + 1;
        h.b = h.c;
        h.a = h.d;
        h.d = h.a;
        port = h.a;
        kind = h.a;
        h.a = kind;
        t = { 1 };
        t = { 1, 2, 3 };
        t = { 1, 16w2 };
        t = { x = 1 };
        t = { x = 1, y = 2, z = 3 };
        t = { x = 1, ... };
        pair = { h.a, h.a };
        s.x = 1;
        SEVEN = 1;
        h.a[8:8] = 1;
        h.a += h.b;
    }
}
