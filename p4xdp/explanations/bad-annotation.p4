@name(17) control C() {
    apply { }
}

// fixed:

@name("seventeen") control C() {
    apply { }
}
