"""simplify: what goes in, what comes out, as text."""

from __future__ import annotations

from make import BOOL, FINISH, VERDICT, expected, linear, num, op, put, table, text, var, when

from p4xdp.midend.ir import (
    FALSE,
    TRUE,
    ActionArm,
    Apply,
    Body,
    Check,
    Finish,
    If,
    Leave,
    Load,
    Mux,
    Scope,
    Slice,
    Store,
    Switch,
    SwitchCase,
    Trace,
    Unary,
    UnaryOp,
)
from p4xdp.midend.passes.simplify import simplify
from p4xdp.midend.passes.straighten import straighten
from p4xdp.midend.rewrite import bodies, walk
from p4xdp.midend.verify import verify

A, B, C, X, Y, T = (var(name) for name in "abcxyt")
P, Q, V = var("p", BOOL), var("q", BOOL), var("v", BOOL)
UNKNOWN = (A, B, C, P, Q, VERDICT)


def result(*body: object) -> str:
    """Simplify statements for which a, b, c, p and q hold what no pass can know."""
    arms = ActionArm(0, UNKNOWN, body), ActionArm(1, UNKNOWN, ())  # type: ignore[arg-type]
    known = table("t", *UNKNOWN, actions=2)
    program = linear(Apply("t", (), arms), FINISH, tables=(known,))
    verify(program)
    after = simplify(program)
    verify(after)
    if not isinstance(after.body[0], Apply):
        return ""
    return text(after.body[0].arms[0].body)


def show(*exprs: object) -> Trace:
    return Trace("%" * len(exprs), exprs)  # type: ignore[arg-type]


def test_copy_in_and_copy_out_disappear() -> None:
    body = put(X, A), put(X, op(X, "-", num(1))), put(A, X), when(Q, put(A, C)), show(A)
    assert result(*body) == expected("""
        a = a - 8w1;
        if (q) {
            a = c;
        }
        trace('%', a);
    """)


def test_a_copy_is_not_carried_past_a_change_of_its_source() -> None:
    assert result(put(X, A), when(Q, put(A, num(1))), show(X, A)) == expected("""
        x = a;
        if (q) {
            a = 8w1;
        }
        trace('%%', x, a);
    """)


def test_a_single_use_is_not_carried_past_a_change_of_what_it_reads() -> None:
    assert result(put(X, op(A, "+", B)), when(Q, put(A, C)), show(X, A)) == expected("""
        x = a + b;
        if (q) {
            a = c;
        }
        trace('%%', x, a);
    """)


def test_a_single_use_moves_into_the_branch_that_reads_it() -> None:
    assert result(put(X, op(A, "+", B)), when(P, show(X))) == expected("""
        if (p) {
            trace('%', a + b);
        }
    """)


def test_a_load_is_not_carried_past_a_store() -> None:
    check = Check("data", 2, (Finish(num(0, 32)),))
    load, store = Load("data", 0, 8), Store("data", 0, 8, B)
    assert result(check, put(X, load), store, show(X)) == expected("""
        check data 2 else {
            finish 32w0;
        }
        x = data[0+:8];
        data[0+:8] = b;
        trace('%', x);
    """)


def test_branches_that_agree_leave_a_constant_behind() -> None:
    body = when(P, put(X, num(3)), otherwise=(put(X, num(3)), show(B))), show(X)
    assert result(*body) == expected("""
        if (!p) {
            trace('%', b);
        }
        trace('%', 8w3);
    """)


def test_branches_that_differ_leave_nothing_known() -> None:
    body = when(P, put(X, num(3)), otherwise=(put(X, num(4)),)), show(X)
    assert result(*body) == expected("""
        if (p) {
            x = 8w3;
        } else {
            x = 8w4;
        }
        trace('%', x);
    """)


def test_a_condition_is_known_inside_its_branches() -> None:
    inner = when(P, show(A), otherwise=(show(B),))
    assert result(when(op(P, "&&", Q), inner), when(P, otherwise=(inner,))) == expected("""
        if (p && q) {
            trace('%', a);
        } else {
            if (!p) {
                trace('%', b);
            }
        }
    """)


def test_what_one_branch_knows_is_forgotten_behind_it() -> None:
    body = when(op(A, "==", num(5)), show(A), show(B)), show(A)
    assert result(*body) == expected("""
        if (a == 8w5) {
            trace('%', 8w5);
            trace('%', b);
        }
        trace('%', a);
    """)


def test_every_way_out_of_a_scope_counts() -> None:
    body = (
        Scope("s", (put(X, num(1)), when(P, Leave("s")), put(X, num(2)), when(Q, show(B)))),
        show(X),
    )
    assert result(*body) == expected("""
        x = 8w1;
        if (!p) {
            x = 8w2;
            if (q) {
                trace('%', b);
            }
        }
        trace('%', x);
    """)


def test_a_chain_of_early_returns_becomes_a_chain_of_branches() -> None:
    body = (
        Scope(
            "s",
            (
                when(P, put(X, num(1)), Leave("s")),
                when(Q, put(X, num(2)), Leave("s")),
                put(X, num(3)),
            ),
        ),
        show(X),
        show(X),
    )
    assert result(*body) == expected("""
        if (p) {
            x = 8w1;
        } else {
            if (q) {
                x = 8w2;
            } else {
                x = 8w3;
            }
        }
        trace('%', x);
        trace('%', x);
    """)


def depth_of(body: Body) -> int:
    inside = [depth_of(inner) for stmt in body for inner in bodies(stmt)]
    return max(inside, default=-1) + 1


def chain_of_jumps(length: int) -> Body:
    """Return scopes, each left by one jump to the next, inside one another."""
    body: Body = ()
    for number in range(length):
        label = f"next.{number}"
        ways = SwitchCase((0,), (show(B), Leave(label))), SwitchCase((1,), (show(A),))
        body = (Scope(label, (*body, Switch(var(f"a{number}"), ways), show(X), FINISH)),)
    return *body, show(C), FINISH


def test_a_jump_is_replaced_by_what_it_leads_to() -> None:
    body = straighten(linear(*chain_of_jumps(10))).body
    assert not [stmt for stmt in walk(body) if isinstance(stmt, Scope)]
    assert depth_of(body) == 10


def test_jumps_that_would_nest_too_deep_stay() -> None:
    body = straighten(linear(*chain_of_jumps(100))).body
    assert depth_of(body) < 40
    assert sum(isinstance(stmt, Trace) for stmt in walk(body)) == 301


def test_a_branch_that_ends_needs_no_else() -> None:
    stop = Finish(num(1, 32))
    assert result(when(P, stop, otherwise=(show(A),))) == expected("""
        if (p) {
            finish 32w1;
        }
        trace('%', a);
    """)


def test_a_switch_on_a_known_value_is_the_chosen_case() -> None:
    cases = SwitchCase((1,), (show(A),)), SwitchCase((2, 3), (show(B),))
    assert result(put(X, num(3)), Switch(X, cases, (show(C),))) == "trace('%', b);\n"
    assert result(put(X, num(4)), Switch(X, cases, (show(C),))) == "trace('%', c);\n"


def test_a_switch_loses_cases_that_do_what_its_default_does() -> None:
    cases = SwitchCase((1,), (show(A),)), SwitchCase((2,), (show(B),)), SwitchCase((3,), (show(A),))
    assert result(Switch(C, cases, (show(B),))) == expected("""
        switch (c) {
            case 8w1, 8w3: {
                trace('%', a);
            }
            default: {
                trace('%', b);
            }
        }
    """)


def test_a_lookup_that_changes_nothing_disappears() -> None:
    assert result(put(X, A)).strip() == ""


def test_dead_code_behind_an_end_disappears() -> None:
    assert result(Finish(num(1, 32)), show(A)) == "finish 32w1;\n"


def test_truth_values() -> None:
    either = when(P, put(Q, TRUE), otherwise=(put(Q, FALSE),))
    negated = Unary(UnaryOp.LNOT, op(A, "<", B))
    assert result(either, show(Q, Q)) == "trace('%%', p, p);\n"
    assert result(show(negated)) == "trace('%', b <= a);\n"
    assert result(show(op(op(P, "&&", TRUE), "||", FALSE))) == "trace('%', p);\n"
    assert result(show(op(Mux(P, num(2), num(1)), "==", num(2)))) == "trace('%', p);\n"


def test_algebra() -> None:
    cases = {
        op(op(A, "+", num(200)), "+", num(100)): "a + 8w0x2c",
        op(A, "-", A): "8w0",
        op(num(0), "&", A): "8w0",
        op(A, "|", num(255)): "8w0xff",
        op(A, "^", num(255)): "~a",
        op(A, "<<", num(256, 16)): "8w0",
        op(op(A, ">>", num(200)), ">>", num(100)): "8w0",
        op(num(200), "|+|", num(100)): "8w0xff",
        op(num(5), "|-|", num(9)): "8w0",
        op(num(100), "|+|s", num(100)): "8w0x7f",
        op(num(156), "|-|s", num(100)): "8w0x80",
        op(num(0x80), ">>s", num(99)): "8w0xff",
        op(A, "<", num(0)): "false",
        op(A, "<=", num(255)): "true",
        Slice(Slice(A, 6, 1), 3, 1): "a[4:2]",
    }
    for expr, short in cases.items():
        assert result(show(expr)) == f"trace('%', {short});\n"


def test_an_unset_variable_is_zero() -> None:
    assert result(show(X), If(V, (show(A),))) == "trace('%', 8w0);\n"


def test_the_verdict_is_observed() -> None:
    program = simplify(linear(put(VERDICT, num(2, 32)), FINISH))
    assert text(program.body) == "finish 32w2;\n"
