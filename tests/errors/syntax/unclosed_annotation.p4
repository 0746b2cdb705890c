// expect: syntax @ 2:6: the `(` of `@name` is never closed
@name("a"
const bit<8> a = 1;
