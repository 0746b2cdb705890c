// expect: illegal-character @ 7:14: the character `é` (U+00E9) cannot stand in a name
// expect-help: names are made of the letters A to Z, digits and `_`
// expect: illegal-character @ 9:18: the character `$` (U+0024) cannot stand here
// expect-help: take it out, or put it in a comment or a string
// expect: illegal-character @ 10:17: the character `–` (U+2013) cannot stand here
// expect-help: P4 knows the hyphen `-` of ASCII only
const bit<8> é = 5;
@free_form(it's no error in an annotation: $ ' é)
const bit<8> b = $1;
const int c = 5 – 1;
