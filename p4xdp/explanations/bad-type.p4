control C(inout bit<8> v) {
    apply {
        int n = 3;
        v = v + n;
    }
}

// fixed:

control C(inout bit<8> v) {
    apply {
        bit<8> n = 3;
        v = v + n;
    }
}
