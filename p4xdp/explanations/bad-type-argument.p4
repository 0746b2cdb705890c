extern Counter { Counter(); }
extern Holder<T> { Holder(); void put(in bit<8> x); }
control C() {
    Holder<Counter>() holder;
    apply { holder.put(1); }
}

// fixed:

extern Counter { Counter(); }
extern Holder<T> { Holder(); void put(in bit<8> x); }
control C() {
    Holder<bit<8>>() holder;
    apply { holder.put(1); }
}
