bit<8> f(in bit<8> x) {
    if (x > 3) { return 1; }
}

// fixed:

bit<8> f(in bit<8> x) {
    if (x > 3) { return 1; }
    return 2;
}
