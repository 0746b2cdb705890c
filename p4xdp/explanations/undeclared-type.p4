struct S { Byte b; }

// fixed:

typedef bit<8> Byte;
struct S { Byte b; }
