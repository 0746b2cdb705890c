// expect: unterminated-string @ 2:7: this string is never closed
@name("abc)
const bit<8> a = 1;
