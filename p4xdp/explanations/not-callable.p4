bit<8> f(in bit<8> x) { return x(); }

// fixed:

bit<8> one() { return 1; }
bit<8> f(in bit<8> x) { return x + one(); }
