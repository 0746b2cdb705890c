parser P() {
    state first { transition accept; }
}

// fixed:

parser P() {
    state start { transition accept; }
}
