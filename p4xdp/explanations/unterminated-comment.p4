const bit<8> N = 1; /* one

// fixed:

const bit<8> N = 1; /* one */
