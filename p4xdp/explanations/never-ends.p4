parser P() {
    state start { transition again; }
    state again { transition start; }
}

// fixed:

parser P(in bit<8> v) {
    state start { transition again; }
    state again {
        transition select(v) {
            0: start;
            default: accept;
        }
    }
}
