// expect: unused @ 11:8: the function `spare` is never used
// expect: unused @ 14:12: the variable `nothing` is never used
// expect: unused @ 15:12: the variable `written` is never used
// expect: unused @ 17:12: the action `extra` is never used
// expect: unused @ 18:11: the table `idle` is never used
// expect: unused @ 28:22: the constant `Limit` is never used

match_kind { exact }

action NoAction() { }
bit<8> spare() { return 1; }

control C(inout bit<8> v) {
    bit<8> nothing;
    bit<8> written;
    action go(bit<8> data) { written = data; }
    action extra() { v = 2; }
    table idle {
        key = { v : exact; }
        actions = { go; NoAction; }
    }
    table t {
        key = { v : exact; }
        actions = { go; NoAction; }
    }
    bit<8> _ignored;
    apply {
        const bit<8> Limit = 3;
        t.apply();
    }
}

control Block(inout bit<8> v);
package Top(Block b);
Top(C()) main;
