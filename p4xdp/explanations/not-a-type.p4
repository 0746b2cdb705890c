control Inner() { apply { } }
control Outer(inout bit<8> x)(Inner inner) {
    apply { inner.apply(); }
}

// fixed:

control Kind();
control Outer(inout bit<8> x)(Kind inner) {
    apply { inner.apply(); }
}
