const bit<8> N = 8w256;

// fixed:

const bit<16> N = 16w256;
