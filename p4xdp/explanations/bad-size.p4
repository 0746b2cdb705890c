match_kind { exact }
action NoAction() { }
control C(in bit<8> v) {
    table t {
        key = { v : exact; }
        actions = { NoAction; }
        size = -5;
    }
    apply { t.apply(); }
}

// fixed:

match_kind { exact }
action NoAction() { }
control C(in bit<8> v) {
    table t {
        key = { v : exact; }
        actions = { NoAction; }
        size = 5;
    }
    apply { t.apply(); }
}
