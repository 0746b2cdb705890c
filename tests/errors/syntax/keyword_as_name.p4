// expect: syntax @ 3:24: expected a name after `>`, found the keyword `table`
// expect-help: `table` is a word of the language; choose another name
control c(inout bit<8> table) {
    apply {}
}
