// expect: not-constant @ 14:26: the value of `later` is not known at compile time
// expect: not-constant @ 15:9: the width of `bit<>` must be a number known at compile time
// expect: not-constant @ 16:9: the width of `bit<>` must be a number known at compile time
// expect: not-constant @ 19:20: the index of a tuple must be known at compile time
// expect: bad-operand @ 20:15: shift of an `int` by 100000 bits is too large

#include <core.p4>

const bit<8> A = 1;
const bit<(A + 7)> B = 200;
header H { bit<8> x; }

control C(inout H h)(bit<8> size) {
    const bit<8> later = h.x;
    bit<(h.x)> wide;
    bit<(size)> sized;
    tuple<bit<8>, bool> pair;
    apply {
        h.x = pair[h.x];
        h.x = (1 << 100000)[7:0];
    }
}
