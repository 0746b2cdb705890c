// expect: undeclared @ 24:23: name `cuont` is not declared
// expect-help: did you mean `count`?
// expect: no-such-field @ 26:16: `Ethernet` has no field `typ`
// expect-help: did you mean `type`?
// expect: undeclared @ 27:9: function `swap` is not declared
// expect: no-such-member @ 28:16: a value of `Ethernet` has no method `flip`
// expect: no-such-member @ 29:23: `error` has no member `NoErorr`
// expect-help: did you mean `NoError`?
// expect: not-a-value @ 30:17: `NoAction` is an action, not a value
// expect-help: write `NoAction(...)` to call it
// expect: not-callable @ 31:9: `count` is a variable, which cannot be called
// expect: not-a-type @ 35:14: `C` is a control with a body, which is not a type

#include <core.p4>

header Ethernet { bit<48> dst; bit<48> src; bit<16> type; }
struct Headers { Ethernet eth; }



control C(inout Headers hd) {
    bit<16> count = 0;
    apply {
        hd.eth.type = cuont;
        hd.eth.type = cuont + 1;
        hd.eth.typ = 1;
        swap(hd);
        hd.eth.flip();
        count = error.NoErorr == error.NoError ? 16w1 : 0;
        count = NoAction;
        count(3);
    }
}

control D(in C c) {
    apply { }
}
