match_kind { lpm }
action NoAction() { }
control C(in bool b) {
    table t {
        key = { b : lpm; }
        actions = { NoAction; }
    }
    apply { t.apply(); }
}

// fixed:

match_kind { exact }
action NoAction() { }
control C(in bool b) {
    table t {
        key = { b : exact; }
        actions = { NoAction; }
    }
    apply { t.apply(); }
}
