// expect: undeclared @ 10:28: match kind `exact` is not declared
// expect-help: add `#include <core.p4>`
// expect: undeclared @ 11:21: action `NoAction` is not declared
// expect-help: add `#include <core.p4>`

header Ethernet { bit<48> dst; bit<48> src; bit<16> type; }

control C(inout Ethernet eth) {
    table t {
        key = { eth.type : exact; }
        actions = { NoAction; }
    }
    apply { t.apply(); }
}
