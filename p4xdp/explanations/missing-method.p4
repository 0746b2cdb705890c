extern Worker {
    Worker();
    abstract bit<8> work(in bit<8> x);
}
control C() {
    Worker() w;
    apply { }
}

// fixed:

extern Worker {
    Worker();
    abstract bit<8> work(in bit<8> x);
}
control C() {
    Worker() w = {
        bit<8> work(in bit<8> x) { return x + 1; }
    };
    apply { }
}
