"""split_wide: what becomes of each statement with something wider than 64 bits in it."""

from __future__ import annotations

import pytest
from make import FINISH, expected, linear, num, op, put, table, text, var, when

from p4xdp.diagnostics import InternalError
from p4xdp.midend.ir import (
    ActionArm,
    Apply,
    Check,
    Concat,
    Key,
    Load,
    Slice,
    Stmt,
    Store,
    Switch,
    SwitchCase,
    Trace,
    limbs_of,
    width_of,
)
from p4xdp.midend.passes.simplify import simplify
from p4xdp.midend.passes.split_wide import split_wide
from p4xdp.midend.verify import verify

A, B = var("a", 128), var("b", 128)
X = var("x")
CHECK = Check("data", 40, (FINISH,))


def result(*body: Stmt) -> str:
    program = linear(CHECK, *body, FINISH)
    verify(program)
    after = split_wide(program)
    verify(after)
    kept = [stmt for stmt in after.body if stmt not in (CHECK, FINISH)]
    return text(tuple(kept))


def test_a_program_without_wide_values_stays_as_it_is() -> None:
    program = linear(CHECK, put(X, num(1)), FINISH)
    assert split_wide(program).body is program.body
    assert split_wide(program).stage == "narrow"


def test_a_copy_and_a_load() -> None:
    assert result(put(A, Load("data", 64, 128)), put(B, A)) == expected("""
        a.lo = data[128+:64];
        a.hi = data[64+:64];
        b.lo = a.lo;
        b.hi = a.hi;
    """)


def test_halves_that_change_places_do_not_overwrite_each_other() -> None:
    swapped = Concat(Slice(A, 63, 0), Slice(A, 127, 64))
    got = result(put(A, swapped)).splitlines()
    assert got[:2] == ["$wide0 = a.hi;", "$wide1 = a.lo;"]
    assert sorted(got[2:]) == ["a.hi = $wide1;", "a.lo = $wide0;"]


def test_a_store_writes_the_highest_limb_first() -> None:
    assert result(Store("data", 0, 128, A)) == expected("""
        data[0+:64] = a.hi;
        data[64+:64] = a.lo;
    """)


def test_a_store_of_what_it_overwrites_reads_it_all_first() -> None:
    assert result(Store("data", 0, 128, Load("data", 64, 128))) == expected("""
        $wide0 = data[128+:64];
        $wide1 = data[64+:64];
        data[0+:64] = $wide1;
        data[64+:64] = $wide0;
    """)


def test_the_limbs_of_odd_widths() -> None:
    wide = var("w", 150)
    assert result(put(wide, num(3 << 140, 150))) == expected("""
        w.0 = 64w0;
        w.1 = 64w0;
        w.2 = 22w0x3000;
    """)


def test_a_condition_compares_limb_by_limb() -> None:
    assert result(when(op(A, "==", num(1 << 64, 128)), put(X, num(1)))) == expected("""
        if ((a.hi == 64w1) && (a.lo == 64w0)) {
            x = 8w1;
        }
    """)


def test_what_a_branch_needs_is_computed_inside_it() -> None:
    inner = when(op(B, "<", A), put(X, num(2)))
    got = result(when(op(A, "==", num(0, 128)), inner), put(X, num(1)))
    assert got.startswith("if ((a.hi == 64w0) && (a.lo == 64w0)) {\n")


def test_a_switch_becomes_a_chain() -> None:
    cases = SwitchCase((1, 2), (put(X, num(1)),)), SwitchCase((3 << 64,), (put(X, num(2)),))
    assert result(Switch(A, cases, (put(X, num(3)),))) == expected("""
        if (((a.hi == 64w0) && (a.lo == 64w1)) || ((a.hi == 64w0) && (a.lo == 64w2))) {
            x = 8w1;
        } else {
            if ((a.hi == 64w3) && (a.lo == 64w0)) {
                x = 8w2;
            } else {
                x = 8w3;
            }
        }
    """)


def test_keys_and_data_keep_the_highest_limb_first() -> None:
    known = table("t", B, keys=(Key("k", 100, "exact"), Key("j", 8, "exact")))
    apply = Apply("t", (Slice(A, 99, 0), X), (ActionArm(0, (B,), (put(A, B),)),))
    after = simplify(split_wide(linear(apply, put(A, B), FINISH, tables=(known,))))
    narrow = split_wide(linear(apply, FINISH, tables=(known,)))
    verify(narrow)
    stmt = narrow.body[0]
    assert isinstance(stmt, Apply)
    assert [width_of(limb) for limb in limbs_of(stmt.keys[0])] == [36, 64]
    assert [data.name for data in stmt.arms[0].data] == ["b.hi", "b.lo"]
    assert after.stage == "narrow"


def test_limbs_of_a_key_stay_apart_when_they_are_constant() -> None:
    known = table("t", keys=(Key("k", 100, "exact"),))
    apply = Apply("t", (A_100,), (ActionArm(0, (), (put(X, num(1)), Trace("%", (X,)))),))
    program = linear(put(A_100, num(5 << 64, 100)), apply, FINISH, tables=(known,))
    after = simplify(split_wide(program))
    verify(after)
    assert "t.apply(36w5 ++ 64w0)" in text(after.body)


A_100 = var("k", 100)


def test_a_trace_shows_limbs() -> None:
    assert result(Trace("at % is %", (X, A))) == "trace('at % is %:%', x, a.hi, a.lo);\n"


def test_division_by_a_power_of_two() -> None:
    got = result(put(A, op(A, "/", num(1 << 70, 128))))
    assert "a.hi[63:6]" in got
    assert result(put(B, op(A, "%", num(1 << 64, 128)))) == expected("""
        b.lo = a.lo;
        b.hi = 64w0;
    """)


def test_other_divisions_do_not_come_here() -> None:
    with pytest.raises(InternalError):
        split_wide(linear(put(A, op(A, "/", B)), FINISH))
