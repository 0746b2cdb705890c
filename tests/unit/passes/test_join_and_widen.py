"""join_tests, widen_loads, and what a test of the packet says behind it."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from evaluate import evaluate, no_tables
from hypothesis import given, settings, strategies as st
from make import BOOL, linear, num, op, put, table, text, var, when

from p4xdp.midend.ir import ActionArm, Apply, Check, Expr, Finish, Key, Load, Stmt, Store
from p4xdp.midend.passes.join_tests import join_tests
from p4xdp.midend.passes.simplify import simplify
from p4xdp.midend.passes.widen_loads import widen_loads
from p4xdp.midend.verify import verify

ABORT, PASS = Finish(num(0, 32)), Finish(num(2, 32))
P, Q = var("p", BOOL), var("q", BOOL)
SIZE = 12


def bits(offset: int, width: int) -> Load:
    return Load("data", offset, width)


def joined(condition: Expr, size: int = SIZE) -> str:
    body = Check("data", size, (ABORT,)), put(P, condition), PASS
    program = replace(linear(*body), stage="narrow")
    verify(program)
    after = join_tests(program)
    verify(after)
    return text((after.body[1],)).strip().removeprefix("p = ").removesuffix(";")


def both(*tests: Expr, by: str = "&&") -> Expr:
    return reduce(lambda left, right: op(left, by, right), tests)


def test_fields_side_by_side_are_compared_at_once() -> None:
    test = both(op(bits(112, 4), "==", num(4, 4)), op(bits(116, 4), "==", num(5, 4)))
    assert joined(test, 15) == "data[112+:8] == 8w0x45"


def test_bits_of_four_bytes_are_compared_under_a_mask() -> None:
    fragment = op(bits(34, 14), "==", num(0, 14))
    test = both(fragment, P, op(bits(56, 8), "==", num(17)))
    assert joined(test) == "((data[32+:32] & 32w0x3fff00ff) == 32w0x11) && p"


def test_differences_are_joined_between_ors() -> None:
    test = both(op(bits(0, 8), "!=", num(1)), op(bits(8, 8), "!=", num(2)), by="||")
    assert joined(test) == "data[0+:16] != 16w0x102"


def test_what_is_not_joined() -> None:
    first, second = op(bits(0, 8), "==", num(1)), op(bits(8, 8), "==", num(2))
    far = op(bits(32, 8), "==", num(2))
    kept = {
        "bytes too far apart": both(first, far),
        "the other operator": both(first, second, by="||"),
        "one of each": both(first, op(bits(8, 8), "!=", num(2))),
        "another order": both(first, op(bits(8, 8), "<", num(2))),
        "the same bits twice": both(first, op(bits(0, 8), "==", num(2))),
        "other bits of the same": both(first, op(bits(4, 8), "==", num(2))),
    }
    for name, test in kept.items():
        assert joined(test) == text((put(P, test),)).strip()[4:-1], name


def test_no_byte_is_loaded_that_may_not_be_there() -> None:
    test = both(op(bits(0, 8), "==", num(1)), op(bits(16, 8), "==", num(2)))
    assert joined(test, 3).count("&&") == 1
    assert joined(test, 4) == "(data[0+:32] & 32w0xff00ff00) == 32w0x1000200"


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_joined_tests_decide_alike(data: st.DataObject) -> None:
    packet = data.draw(st.binary(min_size=SIZE, max_size=SIZE))
    by, same = data.draw(st.sampled_from([("&&", "=="), ("||", "!=")]))
    tests = []
    for _ in range(data.draw(st.integers(2, 5))):
        width = data.draw(st.integers(1, 24))
        offset = data.draw(st.integers(0, SIZE * 8 - width))
        value = int.from_bytes(packet) >> (SIZE * 8 - offset - width) & ((1 << width) - 1)
        value ^= data.draw(st.sampled_from([0, 0, 0, 1]))
        tests.append(op(bits(offset, width), same, num(value, width)))
    check = Check("data", SIZE, (ABORT,))
    body = check, when(both(*tests, by=by), Store("data", 0, 8, num(0xAA))), PASS
    program = replace(linear(*body), stage="narrow")
    after = join_tests(program)
    verify(after)
    assert evaluate(after, packet, no_tables) == evaluate(program, packet, no_tables)


def applied(key: Load, covered: int) -> Expr:
    exact = replace(table("t"), keys=(Key("k", key.width, "exact"),))
    lookup = Apply("t", (key,), (ActionArm(0, (), ()),))
    body = Check("data", covered, (ABORT,)), lookup, PASS
    program = replace(linear(*body, tables=(exact,)), stage="narrow")
    verify(program)
    after = widen_loads(program)
    verify(after)
    found = after.body[1]
    assert isinstance(found, Apply)
    return found.keys[0]


def test_a_key_of_six_bytes_is_loaded_with_two_more_that_are_there() -> None:
    key = bits(48, 48)
    assert applied(key, 13) == key
    wide = applied(key, 14)
    assert text((put(var("k", 48), wide),)).strip() == "k = data[48+:64][63:16];"


def test_keys_that_one_load_takes_stay() -> None:
    for width in (8, 16, 32, 64):
        assert applied(bits(0, width), 64) == bits(0, width)


# Constants that a test has shown


def simplified(*body: Stmt) -> str:
    program = linear(Check("data", SIZE, (ABORT,)), *body, PASS)
    after = simplify(program)
    verify(after)
    return text(after.body)


ONE = op(bits(0, 8), "==", num(1))


def test_bits_that_were_compared_are_not_compared_again() -> None:
    got = simplified(when(ONE, when(ONE, Store("data", 64, 8, num(9)))))
    assert got.count("data[0+:8] == 8w1") == 1
    other = op(bits(0, 8), "==", num(2))
    assert "8w9" not in simplified(when(ONE, when(other, Store("data", 64, 8, num(9)))))


def test_bits_that_were_written_since_are_compared_again() -> None:
    inner = when(ONE, Store("data", 64, 8, num(9)))
    got = simplified(when(ONE, Store("data", 0, 8, var("x")), inner))
    assert got.count("data[0+:8] == 8w1") == 2
