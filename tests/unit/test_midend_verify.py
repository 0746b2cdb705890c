"""verify: each invariant, by a program that breaks just that one."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "passes"))

from make import (
    BOOL,
    EMPTY,
    ETHERNET,
    FINISH,
    VERDICT,
    goto,
    header,
    linear,
    num,
    op,
    put,
    state,
    table,
    var,
    when,
)

from p4xdp.diagnostics import InternalError
from p4xdp.midend.ir import (
    TRUE,
    ActionArm,
    AdjustHead,
    Apply,
    Check,
    Concat,
    Const,
    Effect,
    Emit,
    Expr,
    Extend,
    Extract,
    Key,
    Leave,
    Load,
    Lookahead,
    Mux,
    Peek,
    Program,
    Scope,
    SetPointer,
    Slice,
    Stmt,
    Store,
    Switch,
    SwitchCase,
    Unary,
    UnaryOp,
    Var,
)
from p4xdp.midend.verify import verify

X, Y = var("x"), var("y")
FAIL = (FINISH,)
CHECK = Check("data", 14, FAIL)


def broken(program: Program) -> str:
    with pytest.raises(InternalError) as caught:
        verify(program)
    assert caught.value.stage == "verify"
    return str(caught.value)


def after(*body: Stmt) -> Program:
    return linear(*body, FINISH)


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (Const(256, 8), "8w256"),
        (op(X, "+", num(1, 16)), "8 + 16"),
        (op(X, "&&", X), "8 && 8"),
        (op(TRUE, "+", TRUE), "0 + 0"),
        (op(TRUE, "<", TRUE), "0 < 0"),
        (op(TRUE, "<<", X), "0 << 8"),
        (Slice(X, 8, 0), "slice"),
        (Slice(X, 2, 3), "slice"),
        (Extend(X, 8), "extension"),
        (Concat(X, TRUE), "++"),
        (Mux(X, X, X), "condition"),
        (Mux(TRUE, X, num(1, 9)), "arms"),
        (Unary(UnaryOp.LNOT, X), "! of 8"),
        (Unary(UnaryOp.TO_BOOL, X), "bool of 8"),
        (Unary(UnaryOp.NEG, TRUE), "- of a truth value"),
        (Unary(UnaryOp.TO_BITS, X), "bit of 8"),
        (op(X, "+", Var("x", 16)), "widths 8 and 16"),
    ],
)
def test_widths_in_expressions(expr: Expr, text: str) -> None:
    assert text in broken(after(put(Var("z", 64), Extend(X, 64)), Switch(expr, (), ())))


def test_a_variable_has_one_width() -> None:
    assert "widths 8 and 9" in broken(after(put(X, num(1)), put(var("x", 9), num(1, 9))))


@pytest.mark.parametrize(
    ("stmt", "text"),
    [
        (put(X, num(1, 9)), "assignment to x"),
        (when(X, put(X, num(1))), "condition"),
        (Switch(X, (SwitchCase((1,), ()), SwitchCase((1,), ())), ()), "stands twice"),
        (Switch(X, (SwitchCase((256,), ()),), ()), "range"),
        (Leave("s"), "outside"),
        (Scope("s", (Scope("s", ()),)), "two scopes"),
        (Apply("t", (), ()), "no table"),
        (Effect("count", "c", (num(1, 32), num(1, 32))), "count: no instance c"),
        (Check("data", 1, ()), "goes on"),
        (AdjustHead(num(1, 32), ()), "goes on"),
        (AdjustHead(num(1), FAIL), "growth"),
        (SetPointer("data", "data", 4), "not movable"),
        (SetPointer("p", "data", 0, num(4, 32)), "limit"),
        (SetPointer("p", "data", 0x7FFF, num(4, 32), 9), "reach"),
        (Extract("hd.eth"), "Extract in a linear program"),
        (Emit("hd.eth"), "Emit in a linear program"),
    ],
)
def test_statements(stmt: Stmt, text: str) -> None:
    assert text in broken(after(stmt))


def test_every_path_finishes() -> None:
    assert "does not finish" in broken(linear(when(op(X, "==", X), FINISH)))


def test_keys_arms_and_data_fit_the_table() -> None:
    known = table("t", X, keys=(Key("k", 8, "exact"),), actions=2)
    arms = ActionArm(0, (X,), ()), ActionArm(1, (Y,), ())
    verify(linear(Apply("t", (X,), arms), FINISH, tables=(known,)))
    wrong = {
        "number of keys": Apply("t", (), arms),
        "key k": Apply("t", (num(1, 9),), arms),
        "its arms": Apply("t", (X,), arms[:1]),
        "action data": Apply("t", (X,), (arms[0], ActionArm(1, (), ()))),
        "hit": Apply("t", (X,), arms, hit=Y),
        "action_run": Apply("t", (X,), arms, action_run=Y),
    }
    for text, stmt in wrong.items():
        assert text in broken(linear(stmt, FINISH, tables=(known,)))


# Access to the packet


def load(offset: int, width: int, pointer: str = "data") -> Stmt:
    return put(Var(f"v{width}", width), Load(pointer, offset, width))


def test_a_checked_load_is_accepted_and_one_bit_more_is_not() -> None:
    verify(after(CHECK, load(96, 16)))
    assert "15 bytes of data" in broken(after(CHECK, load(97, 16)))


def test_paths_that_meet_keep_the_smaller_check() -> None:
    more = when(op(X, "==", num(1)), Check("data", 34, FAIL))
    verify(after(CHECK, more, load(0, 112)))
    assert "not checked" in broken(after(CHECK, more, load(112, 8)))


def test_a_path_that_ends_does_not_count() -> None:
    more = when(op(X, "==", num(1)), FINISH, otherwise=(Check("data", 34, FAIL),))
    verify(after(more, load(200, 8)))


def test_a_jump_out_of_a_scope_counts() -> None:
    inner = when(op(X, "==", num(1)), Leave("s"))
    assert "not checked" in broken(after(Scope("s", (inner, CHECK)), load(0, 8)))
    verify(after(Scope("s", (CHECK, inner)), load(0, 8)))


def test_a_pointer_carries_what_lies_behind_it() -> None:
    moved = SetPointer("p", "data", 10)
    verify(after(CHECK, moved, load(0, 32, "p")))
    assert "5 bytes of p" in broken(after(CHECK, moved, load(0, 40, "p")))
    assert "not set" in broken(after(CHECK, load(0, 8, "p")))


def test_a_run_time_offset_needs_a_check_of_its_own() -> None:
    moved = SetPointer("p", "data", 0, var("n", 32), 100)
    assert "not checked" in broken(after(CHECK, moved, load(0, 8, "p")))
    verify(after(CHECK, moved, Check("p", 1, FAIL), load(0, 8, "p")))


def test_adjust_head_forgets_checks_and_pointers() -> None:
    grow = AdjustHead(num(4, 32), FAIL)
    assert "not checked" in broken(after(CHECK, grow, load(0, 8)))
    assert "not set" in broken(after(CHECK, SetPointer("p", "data", 4), grow, load(0, 8, "p")))


def test_a_store_is_checked_and_fills_bytes() -> None:
    verify(after(CHECK, Store("data", 8, 8, X)))
    assert "not checked" in broken(after(CHECK, Store("data", 112, 8, X)))
    assert "within a byte" in broken(after(CHECK, Store("data", 4, 8, X)))
    assert "store" in broken(after(CHECK, Store("data", 8, 16, X)))


# Stages


def test_a_flat_program_has_no_memory() -> None:
    flat = replace(EMPTY, control=(CHECK,))
    assert "Check in a flat program" in broken(flat)
    assert "load" in broken(replace(EMPTY, control=(load(0, 8),)))
    assert "has a body" in broken(replace(EMPTY, body=(FINISH,)))


def test_a_linear_program_has_no_parser() -> None:
    assert "still has" in broken(replace(linear(FINISH), parser=(state("start"),)))


def test_a_narrow_program_has_nothing_wide() -> None:
    wide = replace(after(put(var("w", 65), num(1, 65))), stage="narrow")
    assert "65 bits" in broken(wide)


def test_the_limbs_of_a_key_are_whole() -> None:
    known = table("t", keys=(Key("k", 100, "exact"),))
    arms = (ActionArm(0, (), ()),)

    def keyed(high: int, low: int) -> Program:
        key = Concat(var("h", high), var("l", low))
        return linear(Apply("t", (key,), arms), FINISH, tables=(known,), stage="narrow")

    verify(keyed(36, 64))
    assert "limbs" in broken(keyed(64, 36))


def test_headers_fill_their_bytes() -> None:
    assert "fill its bytes" in broken(replace(EMPTY, headers=(header("h", ("a", 7)),)))
    gap = replace(ETHERNET, fields=ETHERNET.fields[1:])
    assert "out of place" in broken(replace(EMPTY, headers=(gap,)))
    short = replace(ETHERNET, fields=ETHERNET.fields[:1])
    assert "do not fill it" in broken(replace(EMPTY, headers=(short,)))
    assert "two headers" in broken(replace(EMPTY, headers=(ETHERNET, ETHERNET)))


def test_the_parser_has_no_cycle_and_no_loose_end() -> None:
    loop = state("a", to=goto("b")), state("b", to=goto("a"))
    assert "cycle" in broken(replace(EMPTY, parser=loop))
    assert "no state b" in broken(replace(EMPTY, parser=loop[:1]))


def test_a_lookahead_stays_inside_its_width() -> None:
    peek = Lookahead(8, (Peek(X, 1, 8),))
    assert "behind the lookahead" in broken(replace(EMPTY, parser=(state("a", peek),)))
    assert "peek x" in broken(replace(EMPTY, parser=(state("a", Lookahead(16, (Peek(X, 0, 9),))),)))


def test_a_filter_decides_by_a_truth_value() -> None:
    assert "truth value" in broken(replace(EMPTY, model="filter"))
    verify(replace(EMPTY, model="filter", verdict=var("accept", BOOL)))
    assert VERDICT.width == 32
