const bit<8> N = 1 $ 2;

// fixed:

const bit<8> N = 1 + 2;
