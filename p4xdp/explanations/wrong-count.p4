struct Pair { bit<8> a; bit<8> b; }
const Pair P = { 1, 2, 3 };

// fixed:

struct Pair { bit<8> a; bit<8> b; }
const Pair P = { 1, 2 };
