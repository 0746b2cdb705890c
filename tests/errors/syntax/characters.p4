// expect: illegal-character @ 4:14: the character `é` (U+00E9) cannot stand in a name
// expect-help: names are made of the letters A to Z, digits and `_`
// expect: illegal-character @ 6:18: the character `$` (U+0024) cannot stand here
const bit<8> é = 5;
@free_form(it's no error in an annotation: $ ' é)
const bit<8> b = $1;
