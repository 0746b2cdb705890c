control C(inout bit<8> v) {
    bit<8> x;
    apply { v = 1; }
}

// fixed:

control C(inout bit<8> v) {
    bit<8> x = 4;
    apply { v = x; }
}
