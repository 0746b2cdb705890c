const bit<8> N = 8 / 0;

// fixed:

const bit<8> N = 8 / 2;
