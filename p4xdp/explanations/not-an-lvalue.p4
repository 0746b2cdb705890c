void f(in bit<8> x) {
    x = 1;
}

// fixed:

void f(inout bit<8> x) {
    x = 1;
}
