#include <core.p4>
const bit<8> N = 3;
const bool OK = static_assert(N > 4, "N is too small");

// fixed:

#include <core.p4>
const bit<8> N = 5;
const bool OK = static_assert(N > 4, "N is too small");
