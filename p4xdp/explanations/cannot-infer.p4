T make<T>() { T x; return x; }
bit<8> f() { return make(); }

// fixed:

extern T make<T>();
bit<8> f() { return make<bit<8>>(); }
