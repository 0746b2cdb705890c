action go() { }
control C(inout bit<8> x) {
    apply { x = go; }
}

// fixed:

const bit<8> go = 1;
control C(inout bit<8> x) {
    apply { x = go; }
}
