// expect: not-allowed-here @ 32:1: control `Sub` cannot be instantiated at the top level
// expect-help: give it to the package
// expect: not-allowed-here @ 33:27: function `now` cannot be called at the top level
// expect: not-allowed-here @ 36:5: `exit` cannot be used in a function
// expect: not-allowed-here @ 42:9: `return` cannot be used in a parser state
// expect: not-allowed-here @ 43:9: action `NoAction` cannot be called in a parser state
// expect: not-allowed-here @ 49:5: parser `SubParser` cannot be instantiated in the declarations of a control
// expect: not-allowed-here @ 54:20: table `t` cannot be applied in the declarations of a control
// expect: not-allowed-here @ 56:9: control `Sub` can only be applied in an apply block, not in an action
// expect: not-allowed-here @ 57:9: table `t` cannot be applied in an action
// expect: not-allowed-here @ 58:19: `next` of a header stack can only be used in a parser, not in an action
// expect: not-allowed-here @ 61:9: extern object `Counter` cannot be instantiated in an apply block
// expect-help: move it before `apply`
// expect: not-allowed-here @ 62:9: `verify` can only be used in a parser, not in an apply block
// expect: not-allowed-here @ 63:19: `last` of a header stack can only be used in a parser
// expect: not-allowed-here @ 64:15: `action_run` can only be the whole expression of a `switch`
// expect: not-allowed-here @ 65:9: `WithSize` has constructor parameters, so it cannot be applied directly
// expect: not-allowed-here @ 66:9: `break` can only be used in a loop
// expect: type-mismatch @ 67:13: the condition of `if` must be `bool`, not `the result of t.apply()`
// expect: not-allowed-here @ 68:15: `this` can only be used in the methods of an instance
// expect: not-allowed-here @ 69:9: an object is constructed here but has no name

#include <core.p4>


header H { bit<8> a; }
extern Counter { Counter(); void count(); }
extern bit<8> now();
control Sub(inout H h) { apply { } }
control WithSize(inout H h)(bit<8> size) { apply { } }
parser SubParser(packet_in packet) { state start { transition accept; } }
Sub() top;
const bit<8> start_time = now();

bit<8> f(in bit<8> x) {
    exit;
    return x;
}

parser P(packet_in packet, inout H h, inout H[2] stack) {
    state start {
        return;
        NoAction();
        transition accept;
    }
}

control C(inout H h, packet_in packet, inout H[2] stack) {
    SubParser() sub_parser;
    Sub() sub;
    table t {
        actions = { NoAction; }
    }
    bit<8> first = t.apply().hit ? 8w1 : 0;
    action go() {
        sub.apply(h);
        t.apply();
        h = stack.next;
    }
    apply {
        Counter() counter;
        verify(true, error.NoError);
        h = stack.last;
        h.a = t.apply().action_run == t.apply().action_run ? 8w1 : 0;
        WithSize.apply(h);
        break;
        if (t.apply()) { h.a = 1; }
        h.a = this.size;
        Sub();
    }
}
