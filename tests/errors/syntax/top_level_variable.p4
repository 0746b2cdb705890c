// expect: syntax @ 3:8: the variable `count` stands at the top level, where only constants can
// expect-help: put `const` before its type
bit<8> count = 5;
