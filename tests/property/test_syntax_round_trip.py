"""Parsing what the printer writes gives the same tree, for any tree that a program can have."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from p4xdp.diagnostics import Diagnostics, Span
from p4xdp.frontend import syntax as s
from p4xdp.frontend.parser import parse
from p4xdp.frontend.preprocess import preprocess
from p4xdp.frontend.source import Chunk, Source
from p4xdp.frontend.syntax_printer import print_program
from p4xdp.frontend.tree_expressions import PRECEDENCE

ROOT = Path(__file__).parent.parent.parent
PROGRAMS = sorted(
    path
    for folder in ("p4xdp/frontend/p4include", "examples", "tests/stf", "tests/golden")
    for path in (ROOT / folder).rglob("*.p4")
    if path.parent.name != "include"  # these are parts of programs
)

PRELUDE = (
    s.FieldsDeclaration("struct", s.Name("T"), (), ()),
    s.ExternObject(s.Name("G"), (s.Name("X"),), ()),
)


def parsed(text: str) -> s.P4Program:
    place = Span("t.p4", 1, 1, 1, 1)
    diagnostics = Diagnostics()
    return parse(Source((Chunk(text, "t.p4", 1, 1),), {}, place), diagnostics)


def tuples(
    elements: st.SearchStrategy[s.Expression],
) -> st.SearchStrategy[tuple[s.Expression, ...]]:
    return st.lists(elements, max_size=3).map(tuple)


names = st.sampled_from(["a", "b", "key", "apply", "state", "x1"]).map(s.Name)
member_names = st.sampled_from(["a", "T", "list", "type"]).map(s.Name)


@st.composite
def numbers(draw: st.DrawFn) -> s.IntLiteral:
    width = draw(st.none() | st.integers(1, 140))
    signed = width is not None and draw(st.booleans())
    bits = 64 if width is None else width - 1 if signed else width
    return s.IntLiteral(draw(st.integers(0, (1 << bits) - 1)), width, signed)


leaves = (
    numbers()
    | st.booleans().map(s.BoolLiteral)
    | st.sampled_from(["", "a b", 'q\\"q']).map(s.StringLiteral)
    | names.map(s.NameExpr)
    | names.map(lambda name: s.NameExpr(s.Name(name.text, True)))
    | st.just(s.This())
    | st.just(s.InvalidHeader())
    | st.just(s.Member(s.TypeExpr(s.BaseType("error")), s.Name("NoMatch")))
    | member_names.map(lambda name: s.Member(s.TypeExpr(s.NamedType(s.Name("T"))), name))
)


T = s.NamedType(s.Name("T"))
BIT8 = s.BitType("bit", s.IntLiteral(8))

few_types = st.sampled_from(
    [
        s.BaseType("bool"),
        T,
        s.NamedType(s.Name("T", True)),
        BIT8,
        s.StackType(T, s.IntLiteral(3)),
        s.TupleType((T, s.TupleType((BIT8,)))),
        s.SpecializedType(s.NamedType(s.Name("G")), (BIT8,)),
    ]
)


def arguments_over(
    values: st.SearchStrategy[s.Expression],
) -> st.SearchStrategy[tuple[s.Argument, ...]]:
    argument = st.builds(s.Argument, st.none() | names, st.none() | values)
    return st.lists(argument, max_size=3).map(tuple)


def larger(inner: st.SearchStrategy[s.Expression]) -> st.SearchStrategy[s.Expression]:
    fields = st.lists(st.tuples(names, inner), min_size=1, max_size=3).map(tuple)
    first_type = st.sampled_from([T, BIT8, s.StackType(T, s.BoolLiteral(True))])
    type_arguments = st.just(()) | st.tuples(first_type) | st.tuples(first_type, few_types)
    callee = names.map(s.NameExpr) | st.builds(s.Member, inner, member_names)
    constructed = st.just(s.TypeExpr(s.SpecializedType(s.NamedType(s.Name("G")), ())))
    return (
        st.builds(s.Binary, st.sampled_from(sorted(PRECEDENCE)), inner, inner)
        | st.builds(s.Unary, st.sampled_from("!~-+"), inner)
        | st.builds(s.Conditional, inner, inner, inner)
        | st.builds(s.Cast, few_types, inner)
        | st.builds(s.Member, inner, member_names)
        | st.builds(s.Index, inner, inner)
        | st.builds(s.Slice, inner, inner, inner, st.booleans())
        | st.builds(s.Call, callee, type_arguments, arguments_over(inner))
        | st.builds(s.Call, constructed, st.just(()), arguments_over(inner))
        | st.builds(s.ListExpr, st.lists(inner, max_size=3).map(tuple), st.booleans())
        | st.builds(s.StructExpr, fields, st.booleans())
    )


expressions = st.recursive(leaves, larger, max_leaves=8)
simple_types = few_types | st.builds(
    s.BitType, st.sampled_from(["bit", "int", "varbit"]), expressions
)
types = st.recursive(
    simple_types,
    lambda inner: (
        st.builds(s.StackType, inner, expressions)
        | st.lists(inner | st.just(s.DontCareType()), max_size=3).map(tuple).map(s.TupleType)
        | inner.map(lambda type_: s.SpecializedType(s.NamedType(s.Name("G")), (type_,)))
        | inner.map(lambda type_: s.SpecializedType(s.NamedType(s.Name("list")), (type_,)))
    ),
    max_leaves=2,
)

calls = st.builds(s.Call, names.map(s.NameExpr), st.just(()), arguments_over(expressions))
targets = names.map(s.NameExpr) | st.builds(s.Member, names.map(s.NameExpr), member_names)
simple_statements = st.builds(
    s.Assignment, targets, st.sampled_from(["=", "+=", "|-|=", ">>="]), expressions
) | calls.map(s.CallStatement)
variables = st.builds(s.Variable, few_types, names, st.none() | expressions)


def blocks_of(inner: st.SearchStrategy[s.Statement]) -> st.SearchStrategy[s.Block]:
    return st.lists(inner, max_size=3).map(lambda found: s.Block(tuple(found)))


def larger_statements(inner: st.SearchStrategy[s.Statement]) -> st.SearchStrategy[s.Statement]:
    blocks = blocks_of(inner)
    cases = st.builds(s.SwitchCase, st.none() | expressions, st.none() | blocks)
    heads = st.lists(simple_statements, max_size=2).map(tuple)
    inits = st.lists(simple_statements | variables, max_size=2).map(tuple)
    return (
        blocks
        | st.builds(s.If, expressions, blocks, st.none() | blocks)
        | st.builds(s.Switch, expressions, st.lists(cases, max_size=3).map(tuple))
        | st.builds(s.For, inits, expressions, heads, blocks)
        | st.builds(s.ForIn, few_types, names, expressions, st.none() | expressions, blocks)
    )


statements: st.SearchStrategy[s.Statement] = st.recursive(
    simple_statements
    | variables
    | st.builds(s.Constant, few_types, names, expressions)
    | st.builds(s.Return, st.none() | expressions)
    | st.sampled_from([s.Empty(), s.Exit(), s.Break(), s.Continue()]),
    larger_statements,
    max_leaves=4,
)

keys = (
    st.booleans().map(s.DontCareKey)
    | expressions.map(s.ValueKey)
    | st.builds(s.MaskKey, expressions, expressions)
    | st.builds(s.RangeKey, expressions, expressions)
)
keysets = keys | st.lists(keys, min_size=2, max_size=3).map(lambda found: s.TupleKey(tuple(found)))
entries = st.builds(
    s.Entry,
    keysets,
    st.builds(s.ActionRef, names, st.none() | arguments_over(expressions)),
    st.none() | expressions,
    st.booleans(),
)


def assert_round_trip(*declarations: s.Declaration) -> None:
    program = s.P4Program((*PRELUDE, *declarations))
    text = print_program(program)
    assert parsed(text) == program, text


@settings(deadline=None, max_examples=80)
@given(type_=types, value=expressions)
def test_expressions_and_types(type_: s.Type, value: s.Expression) -> None:
    assert_round_trip(s.Constant(type_, s.Name("c"), value))


@settings(deadline=None, max_examples=40)
@given(body=blocks_of(statements))
def test_statements(body: s.Block) -> None:
    assert_round_trip(s.Action(s.Name("act"), (), body))


@settings(deadline=None, max_examples=30)
@given(found=st.lists(entries, max_size=3))
def test_entries(found: list[s.Entry]) -> None:
    table = s.Table(s.Name("t"), (s.EntriesProperty(True, tuple(found)),))
    assert_round_trip(s.Control(s.Name("con"), (), (), (), (table,), s.Block(())))


@settings(deadline=None, max_examples=30)
@given(cases=st.lists(keysets, max_size=3), selected=st.lists(expressions, min_size=1, max_size=2))
def test_select_cases(cases: list[s.Keyset], selected: list[s.Expression]) -> None:
    select = s.Select(tuple(selected), tuple(s.SelectCase(k, s.Name("next")) for k in cases))
    state = s.State(s.Name("start"), (), select)
    assert_round_trip(s.Parser(s.Name("par"), (), (), (), (), (state,)))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: str(path.relative_to(ROOT)))
def test_programs(path: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole.p4"
    whole.write_text(f'#include <core.p4>\n#include "{path}"\n')
    program = parse(preprocess(whole, (), {}, Diagnostics()), Diagnostics())
    again = tmp_path / "again.p4"
    again.write_text(print_program(program))
    assert parse(preprocess(again, (), {}, Diagnostics()), Diagnostics()) == program
