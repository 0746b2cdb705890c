"""keep_in_place: elements of a stack are taken off where they lie, or copied where that shows."""

from __future__ import annotations

from dataclasses import replace

from make import BOOL, EMPTY, header, num, op, put, table, text, var, when

from p4xdp.midend.ir import (
    FALSE,
    ActionArm,
    Apply,
    Assign,
    Body,
    Effect,
    Emit,
    Header,
    Stmt,
    Trace,
    Var,
)
from p4xdp.midend.passes.keep_in_place import keep_in_place
from p4xdp.midend.verify import verify

FIELDS = ("label", 20), ("bottom", 4), ("ttl", 8)
A, B, C, D = (replace(header(f"s[{i}]", *FIELDS), type_name="Label") for i in range(4))
OTHER = header("other", ("x", 8))
P, X, NOW = var("p", BOOL), var("x"), var("now", 64)
EMITS = tuple(Emit(h.name) for h in (OTHER, A, B, C, D))


def f(of: Header, name: str) -> Var:
    return next(item.var for item in of.fields if item.name == name)


def copy(target: Header, source: Header) -> tuple[Stmt, ...]:
    pairs = zip(target.fields, source.fields, strict=True)
    fields = tuple(Assign(to.var, value.var) for to, value in pairs)
    return (put(target.valid, source.valid), *fields)


def pop(*stack: Header, by: int = 1) -> Body:
    moved = zip(stack, stack[by:], strict=False)
    copies = tuple(stmt for pair in moved for stmt in copy(*pair))
    return (*copies, *(put(h.valid, FALSE) for h in stack[-by:]))


POP = pop(A, B, C, D)


def after(*control: Stmt, deparser: Body = EMITS) -> str:
    tables = (table("t", X, actions=2),)
    headers = (OTHER, A, B, C, D)
    flat = replace(EMPTY, headers=headers, tables=tables, control=control, deparser=deparser)
    verify(flat)
    made = keep_in_place(flat)
    verify(made)
    return text(made.control)


def test_the_first_element_becomes_invalid_and_the_others_stay() -> None:
    assert after(*POP) == "s[0].$valid = false;\n"


def test_two_at_once() -> None:
    assert after(*pop(A, B, C, D, by=2)) == "s[0].$valid = false;\ns[1].$valid = false;\n"
    assert after(*pop(A, B, C, D, by=3)).count("\n") == 3


def test_what_follows_means_the_element_that_is_now_there() -> None:
    ttl = put(f(A, "ttl"), op(f(B, "ttl"), "-", num(1)))
    assert after(*POP, ttl, when(A.valid, put(X, f(A, "ttl")))) == text(
        (
            put(A.valid, FALSE),
            put(f(B, "ttl"), op(f(C, "ttl"), "-", num(1))),
            when(B.valid, put(X, f(B, "ttl"))),
        )
    )


def test_one_after_the_other() -> None:
    got = after(*POP, put(f(A, "ttl"), num(1)), *POP, put(f(A, "ttl"), num(2)))
    assert got == text(
        (
            put(A.valid, FALSE),
            put(f(B, "ttl"), num(1)),
            put(B.valid, FALSE),
            put(f(C, "ttl"), num(2)),
        )
    )


def test_each_branch_has_its_own_names() -> None:
    arms = (
        ActionArm(0, (X,), (*POP, put(f(A, "ttl"), X))),
        ActionArm(1, (X,), (put(f(A, "ttl"), X),)),
    )
    got = after(Apply("t", (), arms))
    assert "s[0].$valid = false;" in got
    assert "s[1].ttl = x;" in got
    assert "s[0].ttl = x;" in got


def test_copies_stay_where_somebody_asks_for_an_element_later() -> None:
    branch = when(P, *POP)
    assert after(branch, put(X, f(A, "ttl"))) == text((branch, put(X, f(A, "ttl"))))
    assert after(branch, put(X, num(1))) != text((branch, put(X, num(1))))
    tested = (when(B.valid, Trace(".")), *EMITS)
    assert after(*POP, deparser=tested) == text(POP)


def test_copies_stay_where_the_last_element_is_used_again() -> None:
    again = put(D.valid, num(1, BOOL))
    assert after(*POP, again) == text((*POP, again))


def test_copies_stay_unless_the_stack_is_emitted_in_order_and_once() -> None:
    for order in ((A, C, B, D), (A, B, C), (D, C, B, A)):
        assert after(*POP, deparser=tuple(Emit(h.name) for h in order)) == text(POP)
    optional = (Emit(A.name), Emit(B.name), when(P, Emit(C.name)), Emit(D.name))
    assert after(*POP, deparser=optional) == text(POP)


def test_copies_stay_unless_the_last_element_becomes_invalid() -> None:
    for body in (POP[:-1], POP[:-2]):
        assert after(*body) == text(body)


def test_the_end_of_a_stack_may_shift_alone() -> None:
    apart = tuple(Emit(h.name) for h in (A, B, OTHER, C, D))
    got = after(*POP, deparser=apart)
    assert got == text((*copy(A, B), *copy(B, C), put(C.valid, FALSE)))


def test_copies_stay_where_something_else_sets_a_field() -> None:
    wide = (("time", 64),)
    one, two = (replace(header(f"w[{i}]", *wide), type_name="W") for i in range(2))
    body = (Effect("ktime", None, (), two.fields[0].var), *pop(one, two))
    flat = replace(
        EMPTY, headers=(one, two), control=body, deparser=(Emit(one.name), Emit(two.name))
    )
    assert keep_in_place(flat) is flat
