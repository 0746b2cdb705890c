bit<8> f() { return 1; }
control C() {
    table t { actions = { f; } }
    apply { t.apply(); }
}

// fixed:

action f() { }
control C() {
    table t { actions = { f; } default_action = f(); }
    apply { t.apply(); }
}
