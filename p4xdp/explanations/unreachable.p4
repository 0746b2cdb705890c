bit<8> f(in bit<8> v) {
    return v;
    return 1;
}

// fixed:

bit<8> f(in bit<8> v) {
    if (v > 3) { return v; }
    return 1;
}
