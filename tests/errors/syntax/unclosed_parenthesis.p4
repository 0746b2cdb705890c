// expect: syntax @ 5:21: expected `)` after the number `1`, found `{`
// expect: syntax @ 11:18: expected `)` or `,` after the number `2`, found `;`
control c(inout bit<8> x) {
    apply {
        if (x == 1  {
        }
    }
}
control d(inout bit<8> x) {
    apply {
        f(x, 1, 2;
    }
}
