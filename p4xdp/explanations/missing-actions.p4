match_kind { exact }
control C(in bit<8> v) {
    table t { key = { v : exact; } }
    apply { t.apply(); }
}

// fixed:

match_kind { exact }
action NoAction() { }
control C(in bit<8> v) {
    table t { key = { v : exact; } actions = { NoAction; } }
    apply { t.apply(); }
}
