const bit<8> N = 1;
const bit<8> N = 2;

// fixed:

const bit<8> N = 1;
const bit<8> M = 2;
