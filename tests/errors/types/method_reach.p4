// expect: not-allowed-here @ 11:20: `total` cannot be used in a method of an instance
// expect-help: pass it to the method as an argument
// expect: not-allowed-here @ 12:45: `x` cannot be used in a method of an instance
// expect-help: pass it to the method as an argument
extern Custom { Custom(); abstract bit<8> f(in bit<8> y); abstract bit<8> g(in bit<8> z); }
control C(inout bit<8> x)(bit<8> known) {
    bit<8> total = 1;
    Custom() custom = {
        bit<8> f(in bit<8> y) {
            bit<8> own = known + y;
            return total + own;
        } bit<8> g(in bit<8> z) {bit<8> y = x; return y; }
    };
    apply { x = total + custom.f(1) + custom.g(1); }
}
