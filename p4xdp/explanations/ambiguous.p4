extern void log(in bit<8> a, @optional in bit<8> b);
extern void log(in bit<8> x);
control C(inout bit<8> v) {
    apply { log(v); }
}

// fixed:

extern void log(in bit<8> a, @optional in bit<8> b);
extern void log(in bit<8> x);
control C(inout bit<8> v) {
    apply { log(x = v); }
}
