// Nothing here is read before it has a value.

match_kind { exact }

action NoAction() { }

struct Pair {
    bit<8> a;
    bit<8> b;
}

void set(out bit<8> x) { x = 1; }
extern void fill(out Pair p);

bit<8> returns(in bit<8> v) {
    if (v == 1) return 0;
    bit<8> x = 4;
    if (v == 2) return 1;
    return x;
}

bit<8> branches(in bit<8> v) {
    bit<8> x;
    if (v > 1) { x = 1; } else if (v == 1) { return 7; } else { set(x); }
    Pair p;
    fill(p);
    Pair q;
    q.a = x;
    q.b = p.b;
    Pair r = q;
    return r.a + q.b;
}

bit<8> cases(in bit<8> v) {
    bit<8> x;
    switch (v) {
        1: { x = 1; }
        2: { return 2; }
        default: { x = 3; }
    }
    bool found;
    if (v > 1 && v < 9) { found = true; } else { found = false; }
    bit<8> n;
    for (n = 0; n < 3; n = n + 1) {
        if (found) { x = x + n; break; }
    }
    return x + n;
}

control C(inout bit<8> v) {
    bit<8> next;
    bit<8> either;
    bit<4> low;
    action go(bit<8> port) { next = port; either = 1; }
    action drop() { either = 2; exit; }
    table t {
        key = { v : exact; }
        actions = { go; drop; @defaultonly NoAction; }
        default_action = NoAction();
    }
    action local() {
        bit<8> mine;
        mine = next;
        v = mine;
    }
    apply {
        low[1:0] = 3;
        if (t.apply().hit) {
            v = next;
            local();
        }
        switch (t.apply().action_run) {
            go: { v = either + next; }
            default: { next = 0; }
        }
        v = next + (bit<8>)low;
    }
}

parser P(inout bit<8> v) {
    bit<8> count;
    state start {
        count = v;
        transition select(v) {
            0: accept;
            default: more;
        }
    }
    state more {
        count = count - 1;
        transition select(count) {
            0: accept;
            default: more;
        }
    }
}
