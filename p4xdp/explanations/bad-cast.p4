bit<8> f(in bool b) {
    return (bit<8>)b;
}

// fixed:

bit<8> f(in bool b) {
    return (bit<8>)(bit<1>)b;
}
