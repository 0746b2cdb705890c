// expect: syntax @ 4:9: this expression does nothing; a statement is an assignment or a call
control c(inout bit<8> x) {
    apply {
        x;
    }
}
