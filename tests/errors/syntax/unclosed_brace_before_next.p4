// expect: syntax @ 8:1: expected `}` or a statement after `}`, found the keyword `control`
// expect: syntax @ 9:17: expected an expression after `=`, found `;`
control c(inout bit<8> x) {
    apply {
        if (x == 1) {
            x = 2;
        }
control d(inout bit<8> x) {
    apply { x = ; }
}
