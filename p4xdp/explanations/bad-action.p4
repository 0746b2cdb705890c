action go() { }
action drop() { }
control C() {
    table t {
        actions = { go; }
        default_action = drop();
    }
    apply { t.apply(); }
}

// fixed:

action go() { }
action drop() { }
control C() {
    table t {
        actions = { go; drop; }
        default_action = drop();
    }
    apply { t.apply(); }
}
