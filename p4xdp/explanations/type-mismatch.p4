void f(in bit<16> x, out bit<8> y) {
    y = x;
}

// fixed:

void f(in bit<16> x, out bit<8> y) {
    y = (bit<8>)x;
}
