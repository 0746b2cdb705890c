// expect: syntax @ 5:15: expected an expression after `+`, found `;`
#define SET(x) x = x +
control c(inout bit<8> y) {
    apply {
        SET(y);
    }
}
