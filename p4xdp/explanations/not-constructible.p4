struct Pair { bit<8> a; bit<8> b; }
control C(inout bit<8> x) {
    Pair() p;
    apply { x = p.a; }
}

// fixed:

struct Pair { bit<8> a; bit<8> b; }
control C(inout bit<8> x) {
    Pair p = { 1, 2 };
    apply { x = p.a; }
}
