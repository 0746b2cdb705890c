match_kind { exact }
action NoAction() { }
control C(in bit<8> v) {
    @name("t") table a { key = { v : exact; } actions = { NoAction; } }
    @name("t") table b { key = { v : exact; } actions = { NoAction; } }
    apply { a.apply(); b.apply(); }
}

// fixed:

match_kind { exact }
action NoAction() { }
control C(in bit<8> v) {
    @name("t") table a { key = { v : exact; } actions = { NoAction; } }
    @name("u") table b { key = { v : exact; } actions = { NoAction; } }
    apply { a.apply(); b.apply(); }
}
