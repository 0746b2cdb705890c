header_union U { }
struct S { bool b; }
tuple<void, bool> f() { return { 1, true }; }

// fixed:

tuple<bit<8>, bool> f() { return { 1, true }; }
