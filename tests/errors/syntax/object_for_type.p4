// expect: undeclared-type @ 4:5: `width` is not a type
const int width = 4;
struct s_t {
    width field;
}
