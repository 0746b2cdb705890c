bit<8> f(in bit<8> x) { return x[9:2]; }

// fixed:

bit<6> f(in bit<8> x) { return x[7:2]; }
