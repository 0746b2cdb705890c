control C(inout bit<8> v) {
    action set(bit<8> data, inout bit<8> x) { x = data; }
    apply { set(1, v); }
}

// fixed:

control C(inout bit<8> v) {
    action set(inout bit<8> x, bit<8> data) { x = data; }
    apply { set(v, 1); }
}
