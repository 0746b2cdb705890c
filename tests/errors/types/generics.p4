// expect: bad-operand @ 12:12: `+` is not defined for `T`
// expect: type-mismatch @ 19:13: cannot assign `bit<8>` to `y` (`bit<16>`)
// expect: type-mismatch @ 20:33: cannot pass `Pair<bit<8>>` as `pair` (`Pair<bit<16>>`) of `pick`

#include <core.p4>

struct Pair<T> { T left; T right; }
T pick<T>(in bool first, in Pair<T> pair) {
    return first ? pair.left : pair.right;
}
T add<T>(in T x, in T y) {
    return x + y;
}

control C(inout bit<8> x, inout bit<16> y) {
    Pair<bit<8>> pair = { 1, 2 };
    apply {
        x = pick(true, pair);
        y = pick(true, pair);
        y = pick<bit<16>>(true, pair);
    }
}
