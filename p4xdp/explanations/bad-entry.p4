match_kind { exact, ternary }
action NoAction() { }
control C(in bit<8> v) {
    table t {
        key = { v : exact; }
        actions = { NoAction; }
        const entries = { 0x10 &&& 0xF0 : NoAction(); }
    }
    apply { t.apply(); }
}

// fixed:

match_kind { exact, ternary }
action NoAction() { }
control C(in bit<8> v) {
    table t {
        key = { v : ternary; }
        actions = { NoAction; }
        const entries = { 0x10 &&& 0xF0 : NoAction(); }
    }
    apply { t.apply(); }
}
