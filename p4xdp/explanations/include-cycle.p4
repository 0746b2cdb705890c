#include "a.p4"
const bit<8> N = 1;

// fixed:

const bit<8> N = 1;
