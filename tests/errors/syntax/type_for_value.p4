// expect: syntax @ 7:18: `h_t` is a type, but a value must stand here
header h_t {
    bit<8> a;
}
control c(inout bit<8> x) {
    apply {
        x = 1 +  h_t;
    }
}
