const bit<8> N = 0xZZ;

// fixed:

const bit<8> N = 0xFF;
