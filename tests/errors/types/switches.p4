// expect: missing-return @ 16:8: function `f` does not return a value on every path
// expect: bad-label @ 33:13: table `t` has no action `other`
// expect: bad-label @ 34:13: a label must be the name of an action of `t`
// expect: not-constant @ 38:13: a label of `switch` must be known at compile time
// expect: type-mismatch @ 39:13: a label of `bit<16>` for a `switch` on `bit<8>`
// expect: bad-label @ 43:13: `default` must be the last label of a `switch`
// expect: type-mismatch @ 46:17: a `switch` needs a number with a width, an enum or an error, not `bool`
// expect-help: use `if`
// expect: type-mismatch @ 53:12: `return` cannot have a value
// expect: type-mismatch @ 57:5: `return` needs a value of `bit<8>`

#include <core.p4>

header H { bit<8> a; bool flag; }

bit<8> f(in bit<8> x) {
    if (x > 1) {
        return 1;
    }
}

control C(inout H h) {
    action go() { }
    action other() { }
    table t {
        key = { h.a : exact; }
        actions = { go; }
        default_action = go();
    }
    apply {
        switch (t.apply().action_run) {
            go: { }
            other: { }
            1: { }
        }
        switch (h.a) {
            1: { }
            h.a: { }
            16w2: { }
            default: { }
        }
        switch (h.a) {
            default: { }
            1: { }
        }
        switch (h.flag) {
            default: { }
        }
    }
}

void g() {
    return 1;
}

bit<8> k() {
    return;
}
