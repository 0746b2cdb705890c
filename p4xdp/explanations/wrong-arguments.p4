bit<8> add(in bit<8> a, in bit<8> b) { return a + b; }
bit<8> f(in bit<8> x) { return add(x); }

// fixed:

bit<8> add(in bit<8> a, in bit<8> b) { return a + b; }
bit<8> f(in bit<8> x) { return add(x, 1); }
