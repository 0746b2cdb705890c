// expect: shadow @ 6:23: `v` hides another declaration of this name
// expect: shadow @ 10:16: `x` hides another declaration of this name

control C(inout bit<8> v) {
    bit<8> x = 4;
    action set(bit<8> v) { x = v; }
    apply {
        set(1);
        {
        bit<8> x = x + 1;
            v = x;
        }
        v = v + x;
    }
}
