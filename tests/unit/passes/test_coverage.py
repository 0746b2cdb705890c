"""cover_loads: where a check goes in front of what is loaded, and where not."""

from __future__ import annotations

from make import BOOL, expected, linear, num, op, put, text, var, when

from p4xdp.midend.coverage import cover_loads
from p4xdp.midend.ir import Binary, BinaryOp, Body, Check, Expr, Finish, Load, Mux, Stmt
from p4xdp.midend.verify import verify

ABORT, PASS = Finish(num(0, 32)), Finish(num(2, 32))
C14, C34 = (Check("data", size, (ABORT,)) for size in (14, 34))
P, Q, X = var("p", BOOL), var("q", BOOL), var("x")
FAR = op(Load("data", 184, 8), "==", num(1))
NEAR = op(Load("data", 96, 8), "==", num(1))


def both(left: Expr, right: Expr) -> Expr:
    return Binary(BinaryOp.LAND, left, right)


def either(left: Expr, right: Expr) -> Expr:
    return Binary(BinaryOp.LOR, left, right)


def covered(*body: Stmt) -> str:
    program = linear(C14, *body, PASS)
    after = cover_loads(program)
    verify(after)
    return shown(after.body[1:-1])


def shown(body: Body) -> str:
    return text(body).replace(" else {\n    finish 32w0;\n}", ";")


def test_what_is_always_loaded_is_checked_in_front() -> None:
    assert covered(put(X, Load("data", 184, 8))).startswith("check data 24;\n")
    assert "check" not in covered(put(X, Load("data", 96, 8)))


def test_what_an_and_leads_to_is_checked_behind_its_left_side() -> None:
    assert covered(when(both(P, FAR), put(X, num(1)))) == expected("""
        if (p) {
            check data 24 else {
                finish 32w0;
            }
            if (data[184+:8] == 8w1) {
                x = 8w1;
            }
        }
    """)


def test_what_an_or_leads_to_is_checked_behind_its_left_side() -> None:
    assert covered(when(either(P, FAR), PASS)) == expected("""
        if (p) {
            finish 32w2;
        }
        check data 24;
        if (data[184+:8] == 8w1) {
            finish 32w2;
        }
    """)


def test_a_condition_inside_another_expression_becomes_a_variable() -> None:
    assert covered(put(Q, either(both(P, FAR), NEAR))) == expected("""
        if (p) {
            check data 24 else {
                finish 32w0;
            }
            $chosen0.1 = data[184+:8] == 8w1;
        } else {
            $chosen0.1 = false;
        }
        q = $chosen0.1 || (data[96+:8] == 8w1);
    """)


def test_each_side_of_a_choice_is_checked_alone() -> None:
    assert covered(put(X, Mux(P, Load("data", 184, 8), num(0)))) == expected("""
        if (p) {
            check data 24 else {
                finish 32w0;
            }
            $chosen8.1 = data[184+:8];
        } else {
            $chosen8.1 = 8w0;
        }
        x = $chosen8.1;
    """)


def test_conditions_stay_where_all_is_covered() -> None:
    stmt = when(both(P, FAR), put(X, num(1)))
    assert covered(C34, stmt) == shown((C34, stmt))
    near = when(both(P, NEAR), put(X, num(1)), otherwise=(put(X, num(2)),))
    assert covered(near) == shown((near,))


def test_a_check_of_what_is_covered_goes() -> None:
    assert covered(C34, put(X, num(1)), Check("data", 20, (ABORT,))) == "check data 34;\nx = 8w1;\n"
