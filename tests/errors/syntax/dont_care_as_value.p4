// expect: syntax @ 4:20: expected an expression after `=`, found `_`
control c() {
    apply {
        bit<8> x = _;
    }
}
