// expect: control-plane-name @ 13:5: two tables have the control-plane name `C.first`
// expect-help: give one of them another name
// expect: control-plane-name @ 22:5: two actions have the control-plane name `nop`
// expect: control-plane-name @ 24:5: two actions have the control-plane name `D.b`
// expect: control-plane-name @ 25:5: two actions have the control-plane name `C.go`
// expect: control-plane-name @ 26:5: two tables have the control-plane name `x.y`

#include <core.p4>

control C(inout bit<8> x) {
    action go() { }
    @name("first") table t1 { key = { x : exact; } actions = { go; } }
    @name("first") table t2 { key = { x : exact; } actions = { go; } }
    @name(".x.y") table t5 { actions = { go; } }
    @name(".nop") action a() { }
    @hidden table t3 { actions = { go; } }
    @hidden @name("t3") table t4 { actions = { go; } }
    apply { }
}

control D(inout bit<8> x) {
    @name(".nop") action a() { }
    @name("b") action a1() { }
    action b() { }
    @name(".C.go") action c() { }
    @name(".x.y") table t { actions = { b; } }
    apply { }
}
