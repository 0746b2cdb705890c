// expect: control-plane-name @ 10:5: two tables have the control-plane name `first`
// expect-help: give one of them another name
// expect: control-plane-name @ 18:5: two actions have the control-plane name `x.y`

#include <core.p4>

control C(inout bit<8> x) {
    action go() { }
    @name("first") table t1 { key = { x : exact; } actions = { go; } }
    @name("first") table t2 { key = { x : exact; } actions = { go; } }
    @name(".x.y") action a() { }
    @hidden table t3 { actions = { go; } }
    @hidden @name("t3") table t4 { actions = { go; } }
    apply { }
}

control D(inout bit<8> x) {
    @name(".x.y") action b() { }
    apply { }
}
