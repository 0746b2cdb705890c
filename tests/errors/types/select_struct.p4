// expect: bad-operand @ 8:27: `select` cannot decide on `Pair`
// expect-help: write its fields as a list

struct Pair { bit<8> a; bit<8> b; }

parser P(in Pair pair) {
    state start {
        transition select(pair) {
            { 1, 2 }: accept;
            default: reject;
        }
    }
}
