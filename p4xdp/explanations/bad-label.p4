control C(inout bit<8> v) {
    apply {
        switch (v) {
            default: { v = 1; }
            2: { v = 3; }
        }
    }
}

// fixed:

control C(inout bit<8> v) {
    apply {
        switch (v) {
            2: { v = 3; }
            default: { v = 1; }
        }
    }
}
