"""merge_checks: where a check may grow, and where it must not."""

from __future__ import annotations

from make import VERDICT, expected, linear, num, op, put, text, var, when

from p4xdp.midend.ir import (
    AdjustHead,
    Check,
    Effect,
    Finish,
    Leave,
    Load,
    Scope,
    SetPointer,
    Stmt,
    Store,
    Switch,
    SwitchCase,
)
from p4xdp.midend.passes.merge_checks import merge_checks
from p4xdp.midend.verify import verify

ABORT, DROP, PASS = (Finish(num(verdict, 32)) for verdict in (0, 1, 2))
X, N = var("x"), var("n", 32)
COUNT = Effect("ktime", None, (), None)
OBSERVED = Effect("perf_event_output", None, (), N)
C14, C34, C54 = (Check("data", size, (ABORT,)) for size in (14, 34, 54))


def sizes(*body: Stmt) -> str:
    """The checks that are left, in order, as pointer and size."""
    program = linear(*body, PASS)
    verify(program)
    after = merge_checks(program)
    verify(after)
    rows = [
        row.split()[1:3]
        for row in text(after.body).splitlines()
        if row.split()[0] in ("check", "adjust_head")
    ]
    return " ".join("".join(row) for row in rows)


def at(offset: int) -> Stmt:
    return put(X, Load("data", offset * 8, 8))


ZERO = op(X, "==", num(0))


def test_checks_in_a_row_become_one() -> None:
    assert sizes(C14, at(12), C34, at(20), C54) == "data54"


def test_a_branch_that_demands_less_holds_the_check_back() -> None:
    assert sizes(C14, at(12), when(ZERO, C34)) == "data14 data34"


def test_branches_that_all_demand_more_share_the_smaller_demand() -> None:
    both = when(ZERO, C34, otherwise=(C54,))
    assert sizes(C14, at(12), both) == "data34 data54"


def test_a_branch_that_fails_in_the_same_way_does_not_count() -> None:
    assert sizes(C14, at(12), when(ZERO, ABORT), C34) == "data34"


def test_a_branch_that_fails_in_another_way_counts() -> None:
    assert sizes(C14, at(12), when(ZERO, DROP), C34) == "data14 data34"


def test_a_check_with_another_outcome_stays_apart() -> None:
    assert sizes(C14, Check("data", 34, (DROP,))) == "data14 data34"


def test_what_can_be_observed_holds_the_check_back() -> None:
    assert sizes(C14, OBSERVED, C34) == "data14 data34"
    assert sizes(C14, COUNT, C34) == "data34"


def test_a_store_to_a_packet_that_is_then_discarded_does_not() -> None:
    store = Store("data", 0, 8, num(1))
    assert sizes(C14, store, C34) == "data34"
    redirect = Check("data", 34, (PASS,))
    assert sizes(Check("data", 14, (PASS,)), store, redirect) == "data14 data34"


def test_a_known_check_disappears() -> None:
    assert sizes(C34, OBSERVED, C14) == "data34"
    assert sizes(C34, OBSERVED, when(ZERO, C14), C34) == "data34"


def test_a_check_behind_a_moved_head_stays() -> None:
    grow = AdjustHead(num(4, 32), (ABORT,))
    assert sizes(C14, grow, C14, C34) == "data14 32w4else data34"


def test_pointers_count_on_their_own() -> None:
    moved = SetPointer("p", "data", 0, N, 100)
    checks = Check("p", 4, (ABORT,)), Check("p", 8, (ABORT,))
    assert sizes(C14, moved, checks[0], put(X, Load("p", 0, 8)), checks[1]) == "data14 p8"


def test_jumps_are_followed() -> None:
    body = Scope("s", (when(ZERO, Leave("s")), C34))
    assert sizes(C14, at(12), body, C34) == "data34"
    assert sizes(C14, at(12), body) == "data14 data34"


def test_every_case_of_a_switch_counts() -> None:
    cases = SwitchCase((1,), (C34,)), SwitchCase((2,), (C54,))
    assert sizes(C14, at(12), Switch(X, cases, (ABORT,))) == "data34 data54"
    assert sizes(C14, at(12), Switch(X, cases, ())) == "data14 data34 data54"


def test_the_text_of_a_merged_program() -> None:
    program = merge_checks(linear(C14, at(12), C34, put(VERDICT, num(2, 32)), PASS))
    assert text(program.body) == expected("""
        check data 34 else {
            finish 32w0;
        }
        x = data[96+:8];
        out.verdict = 32w2;
        finish 32w2;
    """)
