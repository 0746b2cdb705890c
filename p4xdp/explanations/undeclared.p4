bit<8> f(in bit<8> lenght) { return length; }

// fixed:

bit<8> f(in bit<8> length) { return length; }
