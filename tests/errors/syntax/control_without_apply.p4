// expect: syntax @ 4:1: expected `apply` or a declaration after `}`, found `}`
control c() {
    action a() {}
}
