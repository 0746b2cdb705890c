struct Pair { bit<8> a; bit<8> b; }
bit<8> f(in Pair p) { return p.c; }

// fixed:

struct Pair { bit<8> a; bit<8> b; }
bit<8> f(in Pair p) { return p.b; }
