#flags of the header
const bit<8> N = 1;

// fixed:

// flags of the header
const bit<8> N = 1;
