// expect: unterminated-comment @ 3:5: this comment is never closed
const bit<8> a = 1;
    /* no end
