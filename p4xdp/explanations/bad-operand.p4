bit<8> f(in bool a, in bool b) {
    if (a + b) { return 1; }
    return 0;
}

// fixed:

bit<8> f(in bool a, in bool b) {
    if (a || b) { return 1; }
    return 0;
}
