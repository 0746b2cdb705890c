"""Generic declarations: type arguments, given or inferred, and one copy for each set of them."""

from __future__ import annotations

from typed_text import check_text, errors_of

from p4xdp.frontend import typed
from p4xdp.frontend.types import Bit, ExternType, Stack, Struct, Tuple

FUNCTIONS = """
struct Pair<T> { T left; T right; }
T first<T>(in Pair<T> pair) { return pair.left; }
T twice<T>(in T x) { T y = x; return first({ y, x }); }
"""


def test_one_function_for_each_set_of_type_arguments() -> None:
    text = f"""{FUNCTIONS}
control C(inout bit<8> x, inout bit<16> y) {{
    apply {{ x = twice(x); x = twice<bit<8>>(5); y = twice(y); }}
}}
"""
    program = check_text(text)
    names = [d.name for d in program.declarations]
    assert names == [
        "first<bit<8>>",
        "twice<bit<8>>",
        "first<bit<16>>",
        "twice<bit<16>>",
        "C",
    ]
    function = program.declarations[1]
    assert isinstance(function, typed.Function)
    assert function.result == Bit(8)


def test_fields_of_generic_structs() -> None:
    text = """
struct Box<T> { T content; }
struct Outer<T> { Box<T> box; Box<bit<4>>  fixed; }
header Cell<T> { T content; }
control C(inout Outer<bit<8>> o, inout Cell<bit<16>>[2] cells) {
    apply { o.box.content = 1; o.fixed.content = 2; cells[0].content = 3; }
}
"""
    block = check_text(text).declarations[0]
    assert isinstance(block, typed.Control)
    type = block.parameters[0].type
    assert isinstance(type, Struct)
    assert type.name == "Outer<bit<8>>"
    assert type.arguments == (Bit(8),)
    assert [str(f.type) for f in type.fields] == ["Box<bit<8>>", "Box<bit<4>>"]
    stack = block.parameters[1].type
    assert isinstance(stack, Stack)
    assert str(stack.element) == "Cell<bit<16>>"


def test_methods_of_generic_externs() -> None:
    text = """
extern Register<T> { Register(bit<32> size); T read(in bit<32> at); void learn<D>(in D data); }
control C(inout bit<8> x) {
    Register<bit<8>>(16) cells;
    apply { x = cells.read(0); cells.learn({ x, true }); }
}
"""
    block = check_text(text).declarations[-1]
    assert isinstance(block, typed.Control)
    cells = block.locals[0]
    assert isinstance(cells, typed.Instance)
    assert cells.type == ExternType("Register", (Bit(8),))
    last = block.apply.statements[1]
    assert isinstance(last, typed.Evaluate)
    assert isinstance(last.call, typed.Call)
    callee = last.call.callee
    assert isinstance(callee, typed.MethodCallee)
    (data,) = callee.type_arguments
    assert isinstance(data, Tuple)
    assert data.elements[0] == Bit(8)
    argument = last.call.arguments[0]
    assert argument is not None
    assert argument.type == data


def test_constructors_infer_type_arguments() -> None:
    text = """
extern Cell<T> { Cell(T initial); T get(); }
control C(inout bit<8> x) { Cell(8w1) cell; apply { x = cell.get(); } }
"""
    assert errors_of(text) == ()


def test_blocks_with_type_parameters() -> None:
    text = """
control Swap<T>(inout T x, inout T y) { apply { T z = x; x = y; y = z; } }
control P(inout bit<8> x, inout bit<8> y);
package Top(P p);
control C(inout bit<8> x, inout bit<8> y) {
    Swap<bit<8>>() swap;
    apply { swap.apply(x, y); Swap<bit<4>>.apply(x[3:0], y[3:0]); }
}
Top(Swap()) main;
"""
    program = check_text(text)
    assert [d.name for d in program.declarations] == [
        "Swap<bit<8>>",
        "Swap<bit<4>>",
        "C",
        "Top",
        "main",
    ]
    assert program.main is not None
    argument = program.main.arguments[0]
    assert isinstance(argument, typed.Construct)
    assert argument.target is program.declarations[0]


def test_a_body_is_checked_once_for_any_type() -> None:
    errors = errors_of("T add<T>(in T x) { return x + 1; }")
    assert [e.code for e in errors] == ["bad-operand"]


def test_abstract_methods() -> None:
    text = """
extern Hook<T> { Hook(); T base(); abstract T decide(in T x); }
control C(inout bit<8> x) {
    Hook<bit<8>>() hook = { bit<8> decide(in bit<8> x) { return x + this.base(); } };
    apply { x = hook.decide(x); }
}
"""
    block = check_text(text).declarations[-1]
    assert isinstance(block, typed.Control)
    hook = block.locals[0]
    assert isinstance(hook, typed.Instance)
    assert [m.name for m in hook.methods] == ["decide"]


def test_generic_code_cannot_use_itself() -> None:
    for text in (
        "T f<T>(in T x) { return f<T>(x); } control C(inout bit<8> x) { apply { x = f(x); } }",
        "control A<T>()(T x) { A<T>(x) a; apply { } } control C() { A(8w1) a; apply { } }",
    ):
        assert errors_of(text)[0].code in ("undeclared", "undeclared-type", "syntax")
