bit<8> f(in bit<8> x) {
    const bit<8> N = x;
    return N;
}

// fixed:

bit<8> f(in bit<8> x) {
    bit<8> n = x;
    return n;
}
