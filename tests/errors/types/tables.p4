// expect: two-lpm-keys @ 35:21: a table can have one lpm key, not two: `h.src` and `h.dst`
// expect-help: make one of them `exact` or `ternary`, or match on `h.src ++ h.dst`
// expect: undeclared @ 41:19: match kind `exakt` is not declared
// expect-help: did you mean `exact`?
// expect: bad-key @ 42:13: a value of `S` cannot be a table key of kind `exact`
// expect: bad-key @ 43:13: a value of `bool` cannot be a table key of kind `lpm`
// expect: type-mismatch @ 44:13: a table key must be a number with a width, not `int`
// expect: missing-actions @ 48:11: table `no_actions` has no `actions` property
// expect: wrong-arguments @ 54:16: `value` of action `go` is action data: it cannot be bound in the list of actions
// expect: wrong-arguments @ 55:13: action `set` takes 1 argument, not 0
// expect: not-an-action @ 56:13: `s` is not an action
// expect: bad-action @ 59:26: action `outside` is not in the `actions` of table `actions_of`
// expect: bad-action @ 64:26: action `stop` is `@tableonly`, so it cannot be the default action
// expect: wrong-arguments @ 69:26: action `go` takes 1 argument, not 0
// expect: bad-action @ 74:30: this argument of `set` differs from the one in the list of actions
// expect-help: write `h.b`
// expect: bad-order @ 78:9: `default_action` must stand after `actions`
// expect: not-constant @ 84:16: `size` must be known at compile time
// expect: bad-size @ 89:16: the size of a table is negative: -1

#include <core.p4>

match_kind { range, optional }
header H { bit<8> a; bit<8> b; bit<32> src; bit<32> dst; bool flag; }
struct S { bit<8> x; }
action set(inout bit<8> field, bit<8> value) { field = value; }
action outside() { }

control C(inout H h, in S s) {
    action go(bit<8> value) { h.a = value; }
    action stop() { }
    table two_prefixes {
        key = {
            h.src : lpm;
            h.dst : lpm;
        }
        actions = { stop; }
    }
    table keys {
        key = {
            h.a : exakt;
            s : exact;
            h.flag : lpm;
            1 : exact;
        }
        actions = { stop; }
    }
    table no_actions {
        key = { h.a : exact; }
    }
    table actions_of {
        key = { h.a : exact; }
        actions = {
            go(1);
            set;
            s;
            stop;
        }
        default_action = outside();
    }
    table defaults {
        key = { h.a : exact; }
        actions = { set(h.b); @tableonly stop; go; }
        default_action = stop();
    }
    table unbound {
        key = { h.a : exact; }
        actions = { go; }
        default_action = go();
    }
    table rebound {
        key = { h.a : exact; }
        actions = { set(h.b); }
        default_action = set(h.a, 1);
    }
    table order {
        key = { h.a : exact; }
        default_action = stop();
        actions = { stop; }
    }
    table sizes {
        key = { h.a : exact; }
        actions = { stop; }
        size = h.a;
    }
    table negative {
        key = { h.a : exact; }
        actions = { stop; }
        size = -1;
    }
    apply { }
}
