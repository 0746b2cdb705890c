struct Box<T> { T content; }
const Box<bit<8>, bool> B = { 1 };

// fixed:

struct Box<T> { T content; }
const Box<bit<8>> B = { 1 };
