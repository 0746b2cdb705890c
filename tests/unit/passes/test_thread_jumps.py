"""thread_jumps, with the other simplifications behind it: which tests disappear."""

from __future__ import annotations

from make import BOOL, VERDICT, expected, linear, num, op, put, table, text, var, when

from p4xdp.midend.ir import (
    FALSE,
    TRUE,
    ActionArm,
    Apply,
    Finish,
    Leave,
    Scope,
    Stmt,
    Switch,
    SwitchCase,
    Trace,
)
from p4xdp.midend.passes.simplify import simplify
from p4xdp.midend.verify import verify

A, X = var("a"), var("x")
P, Q, V = var("p", BOOL), var("q", BOOL), var("v", BOOL)
RUN = var("run", 32)
DATA = (A, P, Q, VERDICT)
END = Finish(VERDICT)


def show(text: str) -> Stmt:
    return Trace(text)


def result(*body: Stmt, finish: Finish = END) -> str:
    """Simplify statements for which a, p, q and the verdict hold what no pass can know."""
    arms = ActionArm(0, DATA, body), ActionArm(1, DATA, ())
    tables = table("t", *DATA, actions=2), table("two", actions=2)
    program = linear(Apply("t", (), arms), finish, tables=tables)
    verify(program)
    after = simplify(program)
    verify(after)
    apply = after.body[0]
    assert isinstance(apply, Apply)
    return text(apply.arms[0].body)


def test_a_test_moves_into_the_branches_that_decide_it() -> None:
    body = when(P, show("a"), put(V, TRUE)), when(V, show("b"), otherwise=(show("c"),))
    assert result(*body) == expected("""
        if (p) {
            trace('a');
            trace('b');
        } else {
            trace('c');
        }
    """)


def test_two_tests_of_one_condition_become_one() -> None:
    assert result(when(P, show("a")), when(P, show("b"))) == expected("""
        if (p) {
            trace('a');
            trace('b');
        }
    """)


def test_a_condition_that_changes_in_between_is_tested_again() -> None:
    body = when(P, show("a"), put(P, Q)), when(P, show("b"))
    assert result(*body) == expected("""
        if (p) {
            trace('a');
            if (q) {
                trace('b');
            }
        }
    """)


def test_ways_out_that_lead_to_one_branch_share_it() -> None:
    inner = when(Q, show("a"), put(V, TRUE), otherwise=(show("b"), put(V, TRUE)))
    body = when(P, inner), when(V, show("c"), show("d"))
    assert result(*body) == expected("""
        if (p) {
            if (q) {
                trace('a');
            } else {
                trace('b');
            }
            trace('c');
            trace('d');
        }
    """)


def test_a_switch_over_the_action_goes_into_the_arms() -> None:
    arms = ActionArm(0, (), (show("first"),)), ActionArm(1, (), (show("second"),))
    cases = SwitchCase((0,), (show("zero"),)), SwitchCase((1,), (show("one"),))
    body = Apply("two", (), arms, action_run=RUN), Switch(RUN, cases, (show("other"),))
    assert result(*body) == expected("""
        two.apply() {
            action 0(): {
                trace('first');
                trace('zero');
            }
            action 1(): {
                trace('second');
                trace('one');
            }
        }
    """)


def test_a_jump_goes_where_the_test_behind_its_scope_leads() -> None:
    early = when(P, put(V, TRUE), Leave("s"))
    body = Scope("s", (early, show("a"), put(V, FALSE))), when(V, show("b"))
    assert result(*body) == expected("""
        if (p) {
            trace('b');
        } else {
            trace('a');
        }
    """)


def test_a_known_verdict_ends_the_program_at_once() -> None:
    drop, accept = put(VERDICT, num(1, 32)), put(VERDICT, num(2, 32))
    assert result(when(P, show("a"), drop, otherwise=(accept,))) == expected("""
        if (p) {
            trace('a');
            finish 32w1;
        }
        finish 32w2;
    """)


def test_an_assignment_in_between_goes_along() -> None:
    body = when(P, put(V, TRUE)), put(X, op(A, "+", num(1))), when(V, Trace("%", (X,)))
    assert result(*body) == expected("""
        if (p) {
            trace('%', a + 8w1);
        }
    """)


def test_no_statement_is_copied() -> None:
    many = tuple(show(letter) for letter in "abcdefgh")
    inner = when(Q, show("x"), put(V, TRUE), otherwise=(put(V, P),))
    got = result(when(P, inner), show("-"), when(V, *many, otherwise=(show("z"),)))
    for letter in "abcdefghz":
        assert got.count(f"trace('{letter}')") == 1
