// expect: unreachable @ 15:13: this label is never reached: one before it matches everything
// expect: unreachable @ 18:11: no transition leads to the state `lost`
// expect: unreachable @ 26:9: this statement is never reached
// expect: unreachable @ 30:13: this statement is never reached
// expect: unreachable @ 38:5: this statement is never reached

parser P(in bit<8> v) {
    bit<8> x = v;
    state start {
        x = x + 1;
        transition select(x) {
            0: other;
            1: reject;
            default: accept;
            2: other;
        }
    }
    state lost { transition other; }
    state other { transition accept; }
}

control C(inout bit<8> v) {
    action leave() {
        v = 1;
        return;
        v = 2;
    }
    apply {
        for (bit<8> i in 0 .. 9) { v = v + i; continue;
            v = 3; }
        if (v == 1) { return; }
        leave();
    }
}

bit<8> both(in bit<8> v) {
    if (v == 1) { return 1; } else { return 2; }
    return 3;
}
