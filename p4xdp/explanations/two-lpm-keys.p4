match_kind { lpm }
action NoAction() { }
control C(in bit<32> a, in bit<32> b) {
    table t {
        key = { a : lpm; b : lpm; }
        actions = { NoAction; }
    }
    apply { t.apply(); }
}

// fixed:

match_kind { lpm, ternary }
action NoAction() { }
control C(in bit<32> a, in bit<32> b) {
    table t {
        key = { a : lpm; b : ternary; }
        actions = { NoAction; }
    }
    apply { t.apply(); }
}
