match_kind { exact }
action NoAction() { }
control C(in bit<8> v) {
    table t {
        default_action = NoAction();
        key = { v : exact; }
        actions = { NoAction; }
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
        default_action = NoAction();
    }
    apply { t.apply(); }
}
