// expect: duplicate @ 19:14: `LIMIT` is declared twice in the same scope
// expect: duplicate @ 20:29: `H` has two fields `a`
// expect: duplicate @ 21:20: `one` is declared twice in the same scope
// expect: duplicate @ 22:9: the error `NoError` is declared twice
// expect: duplicate @ 23:14: the match kind `exact` is declared twice
// expect: duplicate @ 24:38: `x` is declared twice in the same scope
// expect: duplicate @ 26:8: `g` is declared twice in the same scope
// expect: duplicate @ 30:11: `start` is declared twice in the same scope
// expect: duplicate @ 31:11: state `accept` is there already
// expect: duplicate @ 34:29: `h` is declared twice in the same scope
// expect: duplicate @ 41:25: action `go` stands twice in the list
// expect: duplicate @ 43:9: table `t` has the property `size` twice
// expect: duplicate @ 46:22: field `a` is given twice
// expect: duplicate @ 49:13: this label stands twice in the `switch`

#include <core.p4>

const bit<8> LIMIT = 1;
const bit<8> LIMIT = 2;
header H { bit<8> a; bit<8> a; }
enum E { one, two, one }
error { NoError, Mine }
match_kind { exact, fuzzy }
extern void f(in bit<8> x, in bit<8> x);
bit<8> g(in bit<8> x) { return x; }
bit<8> g(in bit<16> x) { return 1; }

parser P(packet_in packet) {
    state start { transition accept; }
    state start { transition accept; }
    state accept { transition reject; }
}

control C(inout H h)(bit<8> h) {
    apply { }
}

control D(inout H h) {
    action go() { }
    table t {
        actions = { go; go; }
        size = 1;
        size = 2;
    }
    apply {
        h = { a = 1, a = 2 };
        switch (h.a) {
            1: { }
            1: { }
        }
    }
}
