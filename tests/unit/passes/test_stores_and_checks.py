"""sink_stores, hoist_checks, merge_stores: what may pass what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from make import BOOL, expected, linear, num, op, put, table, text, var, when

from p4xdp.midend.ir import (
    ActionArm,
    AdjustHead,
    Apply,
    Body,
    Check,
    Concat,
    Expr,
    Finish,
    Load,
    Program,
    SetPointer,
    Slice,
    Stmt,
    Store,
    Trace,
)
from p4xdp.midend.passes.hoist_checks import hoist_checks
from p4xdp.midend.passes.merge_stores import merge_stores
from p4xdp.midend.passes.sink_stores import sink_stores
from p4xdp.midend.verify import verify

ABORT, PASS = Finish(num(0, 32)), Finish(num(2, 32))
C60 = Check("data", 60, (ABORT,))
X, Y, P = var("x"), var("y"), var("p", BOOL)
TABLES = (table("t", actions=2),)


def run(step: Callable[[Program], Program], *body: Stmt) -> str:
    program = linear(C60, *body, PASS, tables=TABLES)
    verify(program)
    after = step(program)
    verify(after)
    return shown(tuple(s for s in after.body if s not in (C60, PASS)))


def shown(body: Body) -> str:
    return text(body).replace(" else {\n", " {").replace("finish 32w0;\n", "finish; ")


def store(byte: int, value: Expr = X, width: int = 8) -> Store:
    return Store("data", byte * 8, width, value)


def test_a_store_waits_behind_a_branch_that_stores_elsewhere() -> None:
    got = run(sink_stores, store(1), when(P, put(Y, num(1)), store(2, Y)))
    assert got == expected("""
        if (p) {
            y = 8w1;
            data[16+:8] = y;
        }
        data[8+:8] = x;
    """)


def test_what_a_store_does_not_pass() -> None:
    kept = {
        "same bytes": when(P, store(1, Y)),
        "overlapping bytes": when(P, store(0, var("w", 16), 16)),
        "a load of them": when(P, put(Y, Load("data", 8, 8))),
        "a change of its value": when(P, put(X, Y)),
        "an end": when(P, PASS),
        "an observation": Trace("."),
        "a lookup": Apply("t", (), (ActionArm(0, (), ()), ActionArm(1, (), ()))),
    }
    for name, stmt in kept.items():
        first = run(sink_stores, store(1), stmt).splitlines()[0]
        assert first == "data[8+:8] = x;", name


def test_a_store_of_loaded_bytes_does_not_pass_a_store_to_them() -> None:
    copy = store(1, Load("data", 16, 8))
    assert run(sink_stores, copy, when(P, store(2))).startswith("data[8+:8] = data[16+:8]")
    assert not run(sink_stores, copy, when(P, store(3))).startswith("data[8+:8]")


def test_stores_leave_the_only_branch_that_goes_on() -> None:
    arms = ActionArm(0, (), (put(X, num(1)), store(1))), ActionArm(1, (), (PASS,))
    got = run(sink_stores, Apply("t", (), arms), when(P, store(2, Y)))
    assert got.splitlines()[-1] == "data[8+:8] = x;"
    assert got.count("data[8+:8]") == 1


def test_a_store_does_not_pass_the_head_that_moves() -> None:
    got = run(sink_stores, store(1), AdjustHead(num(4, 32), (ABORT,)))
    assert got.startswith("data[8+:8] = x;\nadjust_head")


C8 = Check("p", 8, (ABORT,))
POINT = SetPointer("p", "data", 0, var("n", 32), 100)


def test_a_check_passes_branches_without_effect() -> None:
    got = run(hoist_checks, POINT, when(P, put(X, num(1)), store(1)), C8)
    assert got.splitlines()[1] == "check p 8 {    finish; }"


def test_a_check_stays_where_moving_it_gains_nothing() -> None:
    got = run(hoist_checks, POINT, put(X, num(1)), C8)
    assert got.splitlines()[1] == "x = 8w1;"


def test_what_a_check_does_not_pass() -> None:
    for stmt in (when(P, PASS), when(P, Trace("."))):
        assert run(hoist_checks, POINT, stmt, C8).splitlines()[1].startswith("if (p)")
    other = Check("p", 8, (PASS,))
    assert run(hoist_checks, POINT, when(P, put(X, Y)), other).splitlines()[1].startswith("if")


def test_a_check_goes_into_the_only_branch_that_goes_on() -> None:
    arms = ActionArm(0, (), (when(P, put(X, num(1))),)), ActionArm(1, (), (PASS,))
    got = run(hoist_checks, POINT, Apply("t", (), arms), C8)
    assert got.splitlines()[2] == "    action 0(): {"
    assert got.splitlines()[3].startswith("        check p 8")


# Neighbouring constants


def merged(*stores: Store) -> str:
    return run(lambda program: merge_stores(replace(program, stage="narrow")), *stores)


def number(byte: int, value: int, width: int = 8) -> Store:
    return store(byte, num(value, width), width)


def test_constants_side_by_side_are_written_at_once() -> None:
    got = merged(number(0, 0x45), number(1, 0), number(2, 7, 16), number(4, 1))
    assert got == expected("""
        data[0+:32] = 32w0x45000007;
        data[32+:8] = 8w1;
    """)


def test_pieces_are_as_large_as_one_instruction_stores() -> None:
    stores = [number(byte, byte) for byte in range(15)]
    widths = [line.split("+:")[1].split("]")[0] for line in merged(*stores).splitlines()]
    assert widths == ["64", "32", "16", "8"]


def test_gaps_variables_and_other_pointers_separate() -> None:
    assert merged(number(0, 1), number(2, 1)).count("=") == 2
    assert merged(number(0, 1), store(1), number(2, 1)).count("=") == 3


def test_the_order_of_stores_that_have_nothing_in_common_is_free() -> None:
    assert merged(number(1, 1), number(0, 1)) == "data[0+:16] = 16w0x101;\n"
    twice = number(1, 1), number(0, 2), number(1, 3)
    assert merged(*twice).splitlines() == ["data[8+:8] = 8w1;", "data[0+:16] = 16w0x203;"]
    copies = store(1, Load("data", 0, 8)), number(0, 2)
    assert merged(*copies).splitlines()[0] == "data[8+:8] = data[0+:8];"


def test_three_bytes_take_a_constant_byte_along() -> None:
    wide = var("w", 24)
    assert merged(store(0, wide, 24), number(3, 0)) == "data[0+:32] = w ++ 8w0;\n"
    assert merged(number(0, 0), store(1, wide, 24)) == "data[0+:32] = (bit<32>)w;\n"
    assert merged(store(0, wide, 24), store(3)).count("=") == 2


def test_a_part_of_a_word_stays_alone() -> None:
    half = Slice(Concat(X, Y), 15, 8)
    assert merged(store(0, half)) == "data[0+:8] = (x ++ y)[15:8];\n"
    assert op(X, "==", X)
