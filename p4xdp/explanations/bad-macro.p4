#define ADD(a, b) ((a) + (b))
const bit<8> N = ADD(1);

// fixed:

#define ADD(a, b) ((a) + (b))
const bit<8> N = ADD(1, 2);
