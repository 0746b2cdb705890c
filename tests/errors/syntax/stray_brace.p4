// expect: syntax @ 2:1: expected a declaration, found `}`
}
const bit<8> a = 1;
