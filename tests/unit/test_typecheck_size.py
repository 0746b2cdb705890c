"""Large and deep programs: no traceback, and time in proportion to the text."""

from __future__ import annotations

import time

from typed_text import errors_of, parse_text

from p4xdp.diagnostics import Diagnostics
from p4xdp.frontend import syntax
from p4xdp.frontend.typecheck import check


def test_long_runs_of_operators() -> None:
    terms = " + ".join(["x"] * 20_000)
    assert errors_of(f"control C(inout bit<8> x) {{ apply {{ x = {terms}; }} }}") == ()


def test_deep_nesting() -> None:
    depth = 2_000
    for text in (
        "(" * depth + "x" + ")" * depth,
        "~" * depth + "x",
        "c ? x : " * depth + "x",
        "f(" * depth + "x" + ")" * depth,
    ):
        program = f"""
extern bit<8> f(in bit<8> x);
control C(inout bit<8> x, in bool c) {{ apply {{ x = {text}; }} }}
"""
        assert errors_of(program) == ()


def test_deep_statements() -> None:
    depth = 1_000
    blocks = "{" * depth + "x = 1;" + "}" * depth
    chain = "if (x == 1) { } else " * depth + "{ x = 2; }"
    text = f"control C(inout bit<8> x) {{ apply {{ {blocks} {chain} }} }}"
    assert errors_of(text) == ()


def test_many_errors_stay_cheap() -> None:
    lines = "\n".join(f"unknown_name_{i} = x;" for i in range(500))
    names = "\n".join(f"bit<8> some_other_name_{i};" for i in range(200))
    start = time.process_time()
    errors = errors_of(f"control C(inout bit<8> x) {{ apply {{ {names} {lines} }} }}")
    assert len(errors) == 500
    assert time.process_time() - start < 5


def big_program(controls: int) -> syntax.P4Program:
    body = "\n".join(f"h.a = h.a + {i}; if (h.b == {i}) {{ h.c = h.b ++ h.a; }}" for i in range(20))
    blocks = "\n".join(
        f"control C{i}(inout H h) {{ action go(bit<8> v) {{ h.a = v; }}"
        f" table t {{ key = {{ h.a : exact; }} actions = {{ go; }} }} apply {{ {body} }} }}"
        for i in range(controls)
    )
    return parse_text(
        f"#include <core.p4>\nheader H {{ bit<8> a; bit<8> b; bit<16> c; }}\n{blocks}"
    )


def seconds(program: syntax.P4Program) -> float:
    start = time.process_time()
    check(program, Diagnostics())
    return time.process_time() - start


def test_time_grows_with_the_text() -> None:
    small, large = big_program(10), big_program(40)
    fastest = min(seconds(small) for _ in range(3))
    assert min(seconds(large) for _ in range(3)) < 8 * fastest
