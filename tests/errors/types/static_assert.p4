// expect: static-assert @ 7:21: static assertion failed: SIZE must be more than 4

#include <core.p4>

const bit<8> SIZE = 3;
const bool checked = static_assert(SIZE < 4, "fits");
const bool failed = static_assert(SIZE > 4, "SIZE must be more than 4");
