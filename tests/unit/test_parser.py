"""The parser: trees, places, and which names are types."""

from __future__ import annotations

import pytest

from p4xdp.deep import call_deep
from p4xdp.diagnostics import CompileError, Diagnostics, Span
from p4xdp.frontend import syntax as s
from p4xdp.frontend.parser import parse
from p4xdp.frontend.source import Chunk, Source


def program(text: str) -> s.P4Program:
    lines = text.split("\n")
    end = Span("t.p4", len(lines), len(lines[-1]) + 1, len(lines), len(lines[-1]) + 1)
    source = Source((Chunk(text, "t.p4", 1, 1),), {"t.p4": text}, end)
    diagnostics = Diagnostics()
    tree = parse(source, diagnostics)
    assert diagnostics.found == []
    return tree


def expression(text: str) -> s.Expression:
    constant = program(f"{PRELUDE}const int x =\n{text};").declarations[-1]
    assert isinstance(constant, s.Constant)
    return constant.value


def statements(text: str) -> tuple[s.Statement, ...]:
    control = program(f"{PRELUDE}control c() {{ apply {{\n{text}\n}} }}").declarations[-1]
    assert isinstance(control, s.Control)
    return control.apply.statements


def statement(text: str) -> s.Statement:
    (only,) = statements(text)
    return only


PRELUDE = "struct T { } extern E<X> { E(); } "


def var(name: str) -> s.NameExpr:
    return s.NameExpr(s.Name(name))


def named(name: str) -> s.NamedType:
    return s.NamedType(s.Name(name))


def num(value: int) -> s.IntLiteral:
    return s.IntLiteral(value)


def arg(value: s.Expression) -> s.Argument:
    return s.Argument(None, value)


BIT8 = s.BitType("bit", num(8))


def shape(e: s.Expression) -> str:
    """Every operator of an expression with its operands in parentheses."""
    match e:
        case s.Binary(op, left, right):
            return f"({shape(left)} {op} {shape(right)})"
        case s.Unary(op, operand):
            return f"({op}{shape(operand)})"
        case s.Conditional(condition, then, otherwise):
            return f"({shape(condition)} ? {shape(then)} : {shape(otherwise)})"
        case s.Cast(s.NamedType(name), operand):
            return f"(({name.text}) {shape(operand)})"
        case s.Member(base, name):
            return f"{shape(base)}.{name.text}"
        case s.Call(callee, types, arguments):
            inside = ", ".join("_" if a.value is None else shape(a.value) for a in arguments)
            return f"{shape(callee)}{'<>' if types else ''}({inside})"
        case s.Index(base, index):
            return f"{shape(base)}[{shape(index)}]"
        case s.NameExpr(name):
            return name.text
        case s.TypeExpr(s.NamedType(name)):
            return name.text
        case s.IntLiteral(value):
            return str(value)
        case _:
            return type(e).__name__


@pytest.mark.parametrize(
    ("text", "grouped"),
    [
        ("a + b * c", "(a + (b * c))"),
        ("a - b - c", "((a - b) - c)"),
        ("a ++ b + c", "((a ++ b) + c)"),
        ("a |+| b |-| c", "((a |+| b) |-| c)"),
        ("a << b + c", "(a << (b + c))"),
        ("a & b << c", "(a & (b << c))"),
        ("a ^ b & c", "(a ^ (b & c))"),
        ("a | b ^ c", "(a | (b ^ c))"),
        ("a < b | c", "(a < (b | c))"),
        ("a == b < c", "(a == (b < c))"),
        ("a && b == c", "(a && (b == c))"),
        ("a || b && c", "(a || (b && c))"),
        ("a || b ? c : d || e", "((a || b) ? c : (d || e))"),
        ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
        ("-a * b", "((-a) * b)"),
        ("!a && ~b == +c", "((!a) && ((~b) == (+c)))"),
        ("- -a", "(-(-a))"),
        ("-a.b[c]", "(-a.b[c])"),
        ("(T) a + b", "(((T) a) + b)"),
        ("(T) -a", "((T) (-a))"),
        ("(a) - b", "(a - b)"),
        ("(a + b) * c", "((a + b) * c)"),
        ("a >> b > c", "((a >> b) > c)"),
        ("a > > b", None),
        ("a >= b", "(a >= b)"),
        ("a < b", "(a < b)"),
        ("f<T>(a)", "f<>(a)"),
        ("f<U>(a)", "f<>(a)"),
        ("f<bit<8>>(a)", "f<>(a)"),
        ("f<T, U>(a) + b", "(f<>(a) + b)"),
        ("f(a < b, c > (d))", "f((a < b), (c > d))"),
        ("f(a < T.b, c > d)", "f((a < T.b), (c > d))"),
        ("a.f<tuple<T, bit<8>>>(b) < c", "(a.f<>(b) < c)"),
        ("a < b + c && d > (e)", "((a < (b + c)) && (d > e))"),
        ("T(a).f(_)", "T(a).f(_)"),
        (".a", "a"),
    ],
)
def test_operators_group_as_the_specification_says(text: str, grouped: str | None) -> None:
    if grouped is None:
        with pytest.raises(CompileError):
            expression(text)
    else:
        assert shape(expression(text)) == grouped


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("0x1F", s.IntLiteral(31)),
        ("0b1_0", s.IntLiteral(2)),
        ("0o17", s.IntLiteral(15)),
        ("0d10", s.IntLiteral(10)),
        ("8w255", s.IntLiteral(255, 8)),
        ("4s7", s.IntLiteral(7, 4, True)),
        ("16w0xAB_CD", s.IntLiteral(0xABCD, 16)),
        ("true", s.BoolLiteral(True)),
        ('"a\\"b"', s.StringLiteral('a\\"b')),
        ('"two\nlines"', s.StringLiteral("two\nlines")),
        ("this", s.This()),
        (".a", s.NameExpr(s.Name("a", True))),
        ("apply", var("apply")),
        ("...", s.Default()),
        ("{#}", s.InvalidHeader()),
        ("{ }", s.ListExpr(())),
        ("{ 1, a, }", s.ListExpr((num(1), var("a")))),
        ("{ 1, ... }", s.ListExpr((num(1),), True)),
        ("{ a = 1, T = 2 }", s.StructExpr(((s.Name("a"), num(1)), (s.Name("T"), num(2))))),
        ("{ a = 1, ... }", s.StructExpr(((s.Name("a"), num(1)),), True)),
        ("{ 1 }[0]", s.Index(s.ListExpr((num(1),)), num(0))),
        ("a[7:4]", s.Slice(var("a"), num(7), num(4))),
        ("a[4+:2]", s.Slice(var("a"), num(4), num(2), True)),
        ("error.NoMatch", s.Member(s.TypeExpr(s.BaseType("error")), s.Name("NoMatch"))),
        ("T.key", s.Member(s.TypeExpr(named("T")), s.Name("key"))),
        ("f(x = 1)", s.Call(var("f"), (), (s.Argument(s.Name("x"), num(1)),))),
        ("f(x = _)", s.Call(var("f"), (), (s.Argument(s.Name("x"), None),))),
        (
            "E<T>()",
            s.Call(s.TypeExpr(s.SpecializedType(named("E"), (named("T"),))), (), ()),
        ),
        (
            "(bit<(1 + 2)>) 1",
            s.Cast(s.BitType("bit", s.Binary("+", num(1), num(2))), num(1)),
        ),
        ("(bit) 1", s.Cast(s.BitType("bit", num(1)), num(1))),
        (
            "(list<tuple<T, _>>) { }",
            s.Cast(
                s.SpecializedType(named("list"), (s.TupleType((named("T"), s.DontCareType())),)),
                s.ListExpr(()),
            ),
        ),
    ],
)
def test_expressions(text: str, tree: s.Expression) -> None:
    assert expression(text) == tree


X = var("x")
CALL = s.CallStatement(s.Call(var("f"), (), ()))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("x = 1;", s.Assignment(X, "=", num(1))),
        ("x |+|= 1;", s.Assignment(X, "|+|=", num(1))),
        ("x >>= 1;", s.Assignment(X, ">>=", num(1))),
        ("x[3:0] = 1;", s.Assignment(s.Slice(X, num(3), num(0)), "=", num(1))),
        ("f();", CALL),
        (
            "T.apply();",
            s.CallStatement(s.Call(s.Member(s.TypeExpr(named("T")), s.Name("apply")), (), ())),
        ),
        (
            "f<T, bit<8>>(x);",
            s.CallStatement(s.Call(var("f"), (named("T"), BIT8), (arg(X),))),
        ),
        (";", s.Empty()),
        ("{ x = 1; }", s.Block((s.Assignment(X, "=", num(1)),))),
        ("@a { }", s.Block((), (s.Annotation("a"),))),
        ("bit<8> y;", s.Variable(BIT8, s.Name("y"), None)),
        ("T y = { };", s.Variable(named("T"), s.Name("y"), s.ListExpr(()))),
        ("T[3] y;", s.Variable(s.StackType(named("T"), num(3)), s.Name("y"), None)),
        ("T y[3];", s.Variable(s.StackType(named("T"), num(3)), s.Name("y"), None)),
        ("const bit<8> y = 1;", s.Constant(BIT8, s.Name("y"), num(1))),
        ("T() y;", s.Instantiation(named("T"), (), s.Name("y"))),
        ("return;", s.Return(None)),
        ("return x;", s.Return(X)),
        ("exit;", s.Exit()),
        ("if (x) f();", s.If(X, CALL, None)),
        ("if (x) if (x) f(); else ;", s.If(X, s.If(X, CALL, s.Empty()), None)),
        ("if (x) ; else if (x) f();", s.If(X, s.Empty(), s.If(X, CALL, None))),
        (
            "switch (x) { 1: 2: { } default: { f(); } }",
            s.Switch(
                X,
                (
                    s.SwitchCase(num(1), None),
                    s.SwitchCase(num(2), s.Block(())),
                    s.SwitchCase(None, s.Block((CALL,))),
                ),
            ),
        ),
        (
            "for (bit<8> i = 0, x = 1; i < 4; i += 1, f()) { break; continue; }",
            s.For(
                (s.Variable(BIT8, s.Name("i"), num(0)), s.Assignment(X, "=", num(1))),
                s.Binary("<", var("i"), num(4)),
                (s.Assignment(var("i"), "+=", num(1)), CALL),
                s.Block((s.Break(), s.Continue())),
            ),
        ),
        ("for (; x;) ;", s.For((), X, (), s.Empty())),
        ("for (bit<8> i in 0 .. 3) ;", s.ForIn(BIT8, s.Name("i"), num(0), num(3), s.Empty())),
        ("for (T i in x) ;", s.ForIn(named("T"), s.Name("i"), X, None, s.Empty())),
    ],
)
def test_statements(text: str, tree: s.Statement) -> None:
    assert statement(text) == tree


def parameter(direction: s.Direction, type_: s.Type, name: str) -> s.Parameter:
    return s.Parameter(direction, type_, s.Name(name))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("struct S<Y> { Y a; }", s.FieldsDeclaration("struct", s.Name("S"), (s.Name("Y"),),
            (s.Field(named("Y"), s.Name("a")),))),
        ("header H { @a varbit<32> v; }", s.FieldsDeclaration("header", s.Name("H"), (),
            (s.Field(s.BitType("varbit", num(32)), s.Name("v"), (s.Annotation("a"),)),))),
        ("header_union U { }", s.FieldsDeclaration("header_union", s.Name("U"), (), ())),
        ("enum N { A, B, }", s.EnumDeclaration(None, s.Name("N"),
            ((s.Name("A"), None), (s.Name("B"), None)))),
        ("enum bit<8> N { A = 1 }", s.EnumDeclaration(BIT8, s.Name("N"), ((s.Name("A"), num(1)),))),
        ("error { A }", s.ErrorDeclaration((s.Name("A"),))),
        ("match_kind { m, n }", s.MatchKindDeclaration((s.Name("m"), s.Name("n")))),
        ("typedef bit<8> B;", s.TypeAlias(False, BIT8, s.Name("B"))),
        ("type bit<8> B;", s.TypeAlias(True, BIT8, s.Name("B"))),
        ("typedef struct S { } B;", s.TypeAlias(False,
            s.FieldsDeclaration("struct", s.Name("S"), (), ()), s.Name("B"))),
        ("extern void f<Y>(in Y a);", s.ExternFunction(s.Prototype(s.BaseType("void"), s.Name("f"),
            (s.Name("Y"),), (parameter(s.Direction.IN, named("Y"), "a"),)))),
        ("extern Y f<Y>();", s.ExternFunction(s.Prototype(named("Y"), s.Name("f"),
            (s.Name("Y"),), ()))),
        ("extern O { O(); abstract T f(); }", s.ExternObject(s.Name("O"), (), (
            s.Prototype(None, s.Name("O"), (), ()),
            s.Prototype(named("T"), s.Name("f"), (), (), True)))),
        ("Y f<Y>(out Y a) { }", s.Function(s.Prototype(named("Y"), s.Name("f"), (s.Name("Y"),),
            (parameter(s.Direction.OUT, named("Y"), "a"),)), s.Block(()))),
        ("action a(bit<8> b) { }", s.Action(s.Name("a"),
            (parameter(s.Direction.NONE, BIT8, "b"),), s.Block(()))),
        ("parser P<Y>(in Y a);", s.ArchitectureType("parser", s.Name("P"), (s.Name("Y"),),
            (parameter(s.Direction.IN, named("Y"), "a"),))),
        ("package G(T a = { });", s.ArchitectureType("package", s.Name("G"), (),
            (s.Parameter(s.Direction.NONE, named("T"), s.Name("a"), s.ListExpr(())),))),
        ("E<T>() e = { T f() { } };", s.Instantiation(s.SpecializedType(named("E"), (named("T"),)),
            (), s.Name("e"), (s.Function(s.Prototype(named("T"), s.Name("f"), (), ()),
            s.Block(())),))),
        ("E() e[2];", s.Instantiation(s.StackType(named("E"), num(2)), (), s.Name("e"))),
    ],
)  # fmt: skip
def test_declarations(text: str, tree: s.Declaration) -> None:
    assert program(PRELUDE + text).declarations[2:] == (tree,)


def test_a_parser() -> None:
    text = """
    parser p(inout T a)(bit<8> b) {
        value_set<bit<8>>(4) vs;
        state start {
            a = b;
            transition select(a, b) { (1, _): next; 1 .. 2: next; default: accept; }
        }
        @name("n") state next { transition accept; }
        state last { }
    }"""
    tree = program(PRELUDE + text).declarations[-1]
    cases = (
        s.SelectCase(s.TupleKey((s.ValueKey(num(1)), s.DontCareKey())), s.Name("next")),
        s.SelectCase(s.RangeKey(num(1), num(2)), s.Name("next")),
        s.SelectCase(s.DontCareKey(True), s.Name("accept")),
    )
    states = (
        s.State(
            s.Name("start"),
            (s.Assignment(var("a"), "=", var("b")),),
            s.Select((var("a"), var("b")), cases),
        ),
        s.State(s.Name("next"), (), s.Name("accept"), (s.Annotation("name", ('"n"',)),)),
        s.State(s.Name("last"), (), None),
    )
    assert tree == s.Parser(
        s.Name("p"),
        (),
        (parameter(s.Direction.INOUT, named("T"), "a"),),
        (parameter(s.Direction.NONE, BIT8, "b"),),
        (s.ValueSet(BIT8, num(4), s.Name("vs")),),
        states,
    )


def test_a_table() -> None:
    text = """
    control c() {
        table t {
            key = { a.b : exact @name("x"); d & 1 : lpm; }
            actions = { @defaultonly A; B(1); .C; }
            const entries = { (1, 2 &&& 3) : A; const priority = 4 : _ : B(2) @e; }
            const default_action = A();
            @p size = 64;
        }
        apply { }
    }"""
    control = program(PRELUDE + text).declarations[-1]
    assert isinstance(control, s.Control)
    (table,) = control.locals
    assert isinstance(table, s.Table)
    key, actions, entries, default, size = table.properties
    assert key == s.KeyProperty(
        (
            s.KeyElement(
                s.Member(var("a"), s.Name("b")),
                s.Name("exact"),
                (s.Annotation("name", ('"x"',)),),
            ),
            s.KeyElement(s.Binary("&", var("d"), num(1)), s.Name("lpm")),
        )
    )
    assert actions == s.ActionsProperty(
        (
            s.ActionRef(s.Name("A"), None, (s.Annotation("defaultonly"),)),
            s.ActionRef(s.Name("B"), (arg(num(1)),)),
            s.ActionRef(s.Name("C", True)),
        )
    )
    both = s.TupleKey((s.ValueKey(num(1)), s.MaskKey(num(2), num(3))))
    second = s.ActionRef(s.Name("B"), (arg(num(2)),))
    assert entries == s.EntriesProperty(
        True,
        (
            s.Entry(both, s.ActionRef(s.Name("A"))),
            s.Entry(s.DontCareKey(), second, num(4), True, (s.Annotation("e"),)),
        ),
    )
    assert default == s.OtherProperty(True, s.Name("default_action"), s.Call(var("A"), (), ()))
    assert size == s.OtherProperty(False, s.Name("size"), num(64), (s.Annotation("p"),))


@pytest.mark.parametrize(
    ("text", "annotation"),
    [
        ("@a", s.Annotation("a")),
        ("@a()", s.Annotation("a", ())),
        ("@a(b (c 1) \"d\" 'e)", s.Annotation("a", ("b", "(", "c", "1", ")", '"d"', "'", "e"))),
        ("@a[]", s.Annotation("a", None, ())),
        ("@a[1, b]", s.Annotation("a", None, ((None, num(1)), (None, var("b"))))),
        ("@a[k = 1, T = 2]", s.Annotation("a", None, (("k", num(1)), ("T", num(2))))),
        ("@table", s.Annotation("table")),
        ("@pragma a b 1\n", s.Annotation("a", ("b", "1"))),
    ],
)  # fmt: skip
def test_annotations(text: str, annotation: s.Annotation) -> None:
    declaration = program(f"{PRELUDE}{text} const int x = 1;").declarations[-1]
    assert isinstance(declaration, s.Constant)
    assert declaration.annotations == (annotation,)


@pytest.mark.parametrize(
    "text",
    [
        "typedef bit<8> N; const int x = (N) -1;",
        "control c(in bit<8> T) { apply { x = (T) - 1; } }",
        "control c() { apply { bit<8> T; T = (T) - 1; { T = 2; } } }",
        "control c() { apply { { bit<8> T; T = 2; } T t; } }",
        "control c() { apply { bit<8> T = 1; .T t; } }",
        "control c() { apply { for (bit<8> T = 0; T < 4; T += 1) { } T t; } }",
        "control c() { apply { for (bit<8> T in 0 .. 1) if (T == 1) ; T t; } }",
        "control c<Y>(in Y y); struct Y { } const Y y = { };",
        "control c<Y>(in Y y); const int Y = 1; const int z = (Y) - 1;",
        "Y f<Y>(in Y a) { Y b; return a; } const int Y = 1; const int z = (Y) - 1;",
        "extern X { X(bit<8> T); T f(); }",
        "action a(bit<8> T) { T = 1; } const T t = { };",
        "extern later; const later y = 1;",
        "const T key = { }; const T state = { };",
    ],
)
def test_names_are_types_where_their_declaration_says_so(text: str) -> None:
    program(PRELUDE + text)


def test_closing_angles_may_touch() -> None:
    (alias,) = program("typedef tuple<list<tuple<bit<8>>>> B;").declarations
    inner = s.SpecializedType(named("list"), (s.TupleType((BIT8,)),))
    assert alias == s.TypeAlias(False, s.TupleType((inner,)), s.Name("B"))


def test_places_are_exact() -> None:
    text = "control c() {\n  apply {\n    a.b =\n      (d) + f(1);\n  }\n}"
    (control,) = program(text).declarations
    assert isinstance(control, s.Control)
    assert control.span == Span("t.p4", 1, 1, 6, 2)
    assert control.name.span == Span("t.p4", 1, 9, 1, 10)
    (assignment,) = control.apply.statements
    assert assignment.span == Span("t.p4", 3, 5, 4, 17)
    assert isinstance(assignment, s.Assignment)
    assert assignment.target.span == Span("t.p4", 3, 5, 3, 8)
    assert assignment.value.span == Span("t.p4", 4, 7, 4, 17)
    assert isinstance(assignment.value, s.Binary)
    assert assignment.value.left.span == Span("t.p4", 4, 7, 4, 10)
    assert assignment.value.right.span == Span("t.p4", 4, 13, 4, 17)


DEEP = 10_000


@pytest.mark.parametrize(
    "text",
    [
        f"const int x = {'(' * DEEP}1{')' * DEEP};",
        f"const int x = {'-' * DEEP}1;",
        f"const int x = 1{' + 1' * DEEP};",
        f"const int x = 1{' < 1' * DEEP};",
        f"const int x = {'a ? 1 : ' * DEEP}1;",
        f"const int x = {'{' * DEEP}{'}' * DEEP};",
        f"const int x = a{'[1]' * DEEP};",
        "control c() { apply { " + "if (a) { } else " * DEEP + "{ } } }",
        "control c() { apply { " + "{ " * DEEP + "} " * DEEP + "} }",
        f"const {'tuple<' * DEEP}bit{'>' * DEEP} x = 1;",
    ],
    ids=lambda text: text[:24].strip(),
)
def test_deep_nesting_needs_no_stack(text: str) -> None:
    assert len(program(text).declarations) == 1


def test_many_unclosed_brackets() -> None:
    with pytest.raises(CompileError):
        program("const int x = " + "(" * DEEP)


def test_deep_trees_go_away_quietly() -> None:
    def work() -> None:
        tree = program(f"const int x = {'-' * DEEP}1;")
        del tree

    call_deep(work)
