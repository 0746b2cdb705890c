// expect: unused @ 10:12: the variable `loud` is never used

control C(inout bit<8> v) {
    @noWarn("unused") bit<8> quiet;
    @noWarn("uninitialized") action a() {
        bit<8> x;
        v = x;
    }
    @noWarn("shadow")
    bit<8> loud;
    apply {
        @noWarn("unused") {
            bit<8> v1;
        }
        a();
    }
}
