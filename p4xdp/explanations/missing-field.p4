struct Pair { bit<8> a; bit<8> b; }
const Pair P = { a = 1 };

// fixed:

struct Pair { bit<8> a; bit<8> b; }
const Pair P = { a = 1, ... };
