// expect: syntax @ 5:1: the file ends before a `{` is closed
control c(inout bit<8> x) {
    apply {
        x = 1;
