bit<8> f(in bit<8> x) {
    bit<8> x = 3;
    return x;
}

// fixed:

bit<8> f(in bit<8> x) {
    bit<8> y = x + 3;
    return y;
}
