// expect: bad-number @ 9:18: `0xZZ` is not a number
// expect-help: numbers look like
// expect: bad-number @ 10:18: the width of the signed number `0s5` is 0
// expect: bad-number @ 11:18: `8w` is not a number
// expect-help: write the digits right behind the width, and a sign in front of it: `-8w1`
// expect: bad-number @ 12:18: the number `0x_` has no digits
// expect: overflow @ 13:18: `4w16` does not fit in `bit<4>`; its value is 0
// expect: overflow @ 14:18: `8s0xFF` does not fit in `int<8>`; its value is -1
const bit<8> a = 0xZZ;
const bit<8> b = 0s5;
const bit<8> c = 8w-3;
const bit<8> d = 0x_;
const bit<4> e = 4w16;
const int<8> f = 8s0xFF;
