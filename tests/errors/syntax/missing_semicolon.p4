// expect: syntax @ 3:19: expected `;` after the number `5`
// expect: syntax @ 6:13: expected `;` after `a`
const bit<8> a = 5
const bit<8> b = 6;
header h_t {
    bit<8> a
}
