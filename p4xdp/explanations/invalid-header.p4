header H { bit<8> a; }
control C(inout bit<8> v) {
    H h;
    apply { v = h.a; }
}

// fixed:

header H { bit<8> a; }
control C(inout bit<8> v) {
    H h = { 4 };
    apply { v = h.a; }
}
