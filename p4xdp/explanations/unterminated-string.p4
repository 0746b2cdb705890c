@name("C) control C() { apply { } }

// fixed:

@name("C") control C() { apply { } }
