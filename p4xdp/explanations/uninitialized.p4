bit<8> f(in bit<8> v) {
    bit<8> x;
    if (v > 3) { x = 1; }
    return x;
}

// fixed:

bit<8> f(in bit<8> v) {
    bit<8> x = 0;
    if (v > 3) { x = 1; }
    return x;
}
