"""moved_variables: which variables hold bytes, and that all that touches one agrees on it."""

from __future__ import annotations

from backend_programs import applied, check, compiled, key, load, program, table

from p4xdp.backend_c.moved import moved_variables
from p4xdp.midend.ir import (
    Assign,
    Binary,
    BinaryOp,
    Const,
    Expr,
    Extend,
    Finish,
    If,
    Slice,
    Stmt,
    Store,
    Trace,
    Var,
)

A, B, C = (Var(name, 48) for name in "abc")
PASS = Finish(Const(2, 32))
FIRST, SECOND = load(0, 48), load(48, 48)


def store(value: Expr, width: int = 48) -> Store:
    return Store("data", 0, width, value)


def moved(*body: Stmt) -> set[str]:
    made = program((check(64), *body, PASS))
    return set(moved_variables(made, (made.body,), {}, {}))


def one(op: str, left: Expr, right: Expr) -> Binary:
    return Binary(BinaryOp(op), left, right)


def test_what_goes_from_memory_to_memory_is_moved() -> None:
    assert moved(Assign(A, FIRST), store(A)) == {"a"}
    assert moved(Assign(A, FIRST), Assign(B, A), Assign(B, Const(1, 48)), store(B)) == {"a", "b"}


def test_bit_by_bit_and_for_equality_bytes_do_as_well() -> None:
    mixed = one("^", A, one("&", B, Const(0xFF, 48)))
    assert moved(Assign(A, FIRST), Assign(B, SECOND), store(mixed)) == {"a", "b"}
    same = If(one("==", A, SECOND), (store(A),))
    assert moved(Assign(A, FIRST), same) == {"a"}


def test_what_is_computed_with_is_a_number_and_so_is_what_it_meets() -> None:
    for use in (
        store(one("+", A, Const(1, 48))),
        store(Slice(A, 15, 0), 16),
        store(Extend(A, 64), 64),
        If(one("<", A, SECOND), (PASS,)),
        Trace("%", (A,)),
    ):
        assert moved(Assign(A, FIRST), store(A), use) == set(), use
        assert moved(Assign(A, FIRST), Assign(B, A), store(B), use) == set(), use
    assert moved(Assign(A, one("+", FIRST, Const(1, 48))), store(A)) == set()


def test_what_never_was_in_memory_stays_a_number() -> None:
    assert moved(Assign(A, Const(1, 48)), store(A)) == set()


def test_only_whole_bytes_at_the_end_of_a_number_can_be_taken() -> None:
    low, high = Var("low", 12), Var("high", 12)
    body = (Assign(low, load(4, 12)), Assign(high, load(16, 12)))
    tests = (If(one("==", low, Const(1, 12)), (PASS,)), If(one("==", high, Const(1, 12)), (PASS,)))
    assert moved(*body, *tests) == {"low"}


def test_odd_sizes_stay_numbers() -> None:
    for width in (8, 40, 56):
        x = Var("x", width)
        assert moved(Assign(x, load(0, width)), store(x, width)) == set()


def test_keys_of_whole_words_take_bytes_and_prefixes_do_not() -> None:
    exact, prefix = table("e", key("k", 32)), table("p", key("k", 32, "lpm"))
    k = Var("k", 32)
    for one_table, text in (
        (exact, "p4xdp_word(k, 0, 4)"),
        (prefix, "p4xdp_load32(data)"),
    ):
        body = (
            check(64),
            Assign(k, load(0, 32)),
            applied(one_table.name.split(".")[1], k),
            store(k, 32),
            PASS,
        )
        made = compiled(program(body, tables=(one_table,))).c
        assert text in made, made
