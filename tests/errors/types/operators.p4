// expect: type-mismatch @ 46:15: the operands of `+` differ: `bit<8>` and `bit<16>`
// expect-help: cast: `(bit<16>)h.a`
// expect: type-mismatch @ 47:15: the operands of `+` differ: `bit<8>` and `int<8>`
// expect-help: cast: `(int<8>)h.a`
// expect: type-mismatch @ 48:15: the operands of `==` differ: `bit<8>` and `bool`
// expect: bad-operand @ 49:15: `+` is not defined for `bool`
// expect: bad-operand @ 50:16: `+` is not defined for `Port`
// expect-help: cast to `bit<8>` first
// expect: bad-operand @ 51:15: `<` is not defined for `E`
// expect: bad-operand @ 52:15: `!` is not defined for `bit<8>`
// expect-help: compare with 0, or use `~` for the bits
// expect: bad-operand @ 53:15: `~` is not defined for `int`
// expect-help: write its width
// expect: type-mismatch @ 54:22: an operand of `&&` must be `bool`, not `bit<8>`
// expect-help: compare it with a value
// expect: type-mismatch @ 55:22: the right operand of `<<` must be unsigned, not `int<8>`
// expect: bad-operand @ 56:22: shift by a negative amount: -1
// expect: bad-operand @ 57:15: `int` cannot be shifted by an amount that is known only at run time
// expect-help: give the left operand a width
// expect: bad-operand @ 58:15: `++` is not defined for `int`
// expect-help: write its width
// expect: division-by-zero @ 59:21: the right operand of `/` is zero
// expect: bad-operand @ 60:20: `%` is not defined for negative numbers: -2
// expect: cannot-infer @ 61:15: both branches of `?:` are `int`, so the result has no width
// expect: type-mismatch @ 62:15: the condition of `?:` must be `bool`, not `bit<8>`
// expect: type-mismatch @ 63:15: the branches of `?:` differ: `bit<8>` and `bit<16>`
// expect: cannot-infer @ 64:15: neither operand of `==` says what type
// expect: not-constant @ 65:19: the high bound of a slice must be known at compile time
// expect: out-of-range @ 66:23: the high bound 2 of a slice is less than the low bound 3
// expect: out-of-range @ 67:21: index 2 is outside `H[2]`, which has 2 elements
// expect: bad-cast @ 68:15: cannot cast `bool` to `bit<8>`
// expect-help: cast twice: `(bit<8>)(bit<1>)h.d`
// expect: bad-cast @ 69:15: only 0 and 1 can be cast to `bool`, not `2`
// expect: type-mismatch @ 70:13: the condition of `if` must be `bool`, not `bit<8>`
// expect-help: compare it with a value
// expect: bad-operand @ 71:15: `~` is not defined for `int`

#include <core.p4>

header H { bit<8> a; bit<16> b; int<8> c; bool d; }
type bit<8> Port;
enum E { one, two }

control C(inout H h, inout Port port, inout E e, inout H[2] stack) {
    apply {
        h.b = h.a + h.b;
        h.a = h.a + h.c;
        h.d = h.a == h.d;
        h.a = h.a + h.d;
        port = port + 1;
        h.d = e < E.two;
        h.d = !h.a;
        h.a = ~1;
        h.d = h.d && h.a;
        h.a = h.a << h.c;
        h.a = h.a << -1;
        h.a = 1 << h.a;
        h.b = 1 ++ h.a;
        h.a = h.a / 0;
        h.a = 10 % -2;
        h.a = h.d ? 1 : 2;
        h.a = h.a ? h.a : h.a;
        h.a = h.d ? h.a : h.b;
        h.d = { 1, 2 } == { 1, 2 };
        h.a = h.a[h.a:0];
        h.a = (bit<8>)h.a[2:3];
        h.a = stack[2].a;
        h.a = (bit<8>)h.d;
        h.d = (bool)2;
        if (h.a) { h.a = 1; }
        h.a = (~0)[7:0];
    }
}
