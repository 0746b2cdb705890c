bit<8> f(in bit<8> x) {
    if (x < 0) { return 0; }
    return x;
}

// fixed:

int<8> f(in int<8> x) {
    if (x < 0) { return 0; }
    return x;
}
