extern Counter {
    void Counter(bit<32> size);
    void count();
}

// fixed:

extern Counter {
    Counter(bit<32> size);
    void count();
}
