// expect: overflow @ 7:18: `300` does not fit in `bit<8>`; its value is 44
// expect: mismatch @ 8:18: `-1` is below 0, but `bit<8>` is unsigned; its value is 255
// expect: overflow @ 13:14: `256` does not fit in `bit<8>`; its value is 0
// expect: overflow @ 11:9: `bit<8>` is shifted by 8 bits, which leaves nothing of its value
// expect: mismatch @ 12:9: this comparison is always false: a `bit<8>` is never below 0

const bit<8> A = 300;
const bit<8> B = -1;
const bit<8> C = (bit<8>)300 + (bit<8>)(-1) + 255;
bit<8> f(in bit<8> x) {
    if (x << 8 == 1) { return 1; }
    if (x < 0) { return 2; }
    if (x == 256) { return 3; }
    return x << 7;
}
