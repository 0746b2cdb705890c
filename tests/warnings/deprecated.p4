// expect: deprecated @ 9:9: `old` is deprecated: use `young`
// expect: deprecated @ 10:9: `elder` is deprecated: no more

@deprecated("use `young`") extern void old();
@deprecated("no more") void elder() { }
extern void young();
control C() {
    apply {
        old();
        elder();
        young();
    }
}
