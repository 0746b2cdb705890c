"""Operators, casts and slices of the interpreter (sections 8.5 to 8.12), at any width."""

from __future__ import annotations

import pytest

from p4xdp.frontend import types as t
from p4xdp.interp import operators
from p4xdp.interp.values import Scalar

W = 200
TOP = (1 << W) - 1


def binary(op: str, a: int, b: int, kind: t.Type, right: t.Type | None = None) -> object:
    return operators.binary(op, Scalar(a), Scalar(b), kind, right or kind).value


@pytest.mark.parametrize(
    ("op", "a", "b", "kind", "result"),
    [
        ("+", 7, 2, t.Bit(3), 1),
        ("-", 0, 1, t.Bit(W), TOP),
        ("*", TOP, TOP, t.Bit(W), 1),
        ("+", 127, 1, t.Int(8), -128),
        ("-", -128, 1, t.Int(8), 127),
        ("*", -128, -1, t.Int(8), -128),
        ("|+|", 200, 100, t.Bit(8), 255),
        ("|-|", 5, 9, t.Bit(8), 0),
        ("|+|", 100, 100, t.Int(8), 127),
        ("|-|", -100, 100, t.Int(8), -128),
        ("|+|", TOP, 1, t.Bit(W), TOP),
        ("&", -1, 5, t.Int(8), 5),
        ("|", -128, 1, t.Int(8), -127),
        ("^", -1, 1, t.Int(8), -2),
        ("/", 7, 2, t.Bit(8), 3),
        ("%", 7, 2, t.Bit(8), 1),
        ("<", -1, 0, t.Int(8), True),
        (">=", 255, 0, t.Bit(8), True),
        ("+", 1 << 300, 1, t.Basic.INT, (1 << 300) + 1),
        ("<<", 1, 300, t.Basic.INT, 1 << 300),
        (">>", -5, 1, t.Basic.INT, -3),
    ],
)
def test_arithmetic(op: str, a: int, b: int, kind: t.Type, result: int | bool) -> None:
    assert binary(op, a, b, kind) == result


@pytest.mark.parametrize(
    ("op", "a", "amount", "kind", "result"),
    [
        ("<<", 1, 8, t.Bit(8), 0),
        ("<<", 1, 1 << 400, t.Bit(8), 0),
        ("<<", 64, 1, t.Int(8), -128),
        (">>", 0x80, 8, t.Bit(8), 0),
        (">>", -128, 7, t.Int(8), -1),
        (">>", -128, 1 << 400, t.Int(8), -1),
        (">>", 127, 1 << 400, t.Int(8), 0),
    ],
)
def test_shifts_by_the_width_or_more_lose_all(
    op: str, a: int, amount: int, kind: t.Type, result: int
) -> None:
    assert binary(op, a, amount, kind, t.Bit(512)) == result


@pytest.mark.parametrize(
    ("left", "right", "a", "b", "result"),
    [
        (t.Bit(4), t.Bit(8), 0xA, 0x5C, 0xA5C),
        (t.Bit(4), t.Int(8), 0xA, -1, 0xAFF),
        (t.Int(4), t.Bit(8), -1, 0x5C, -164),
        (t.Bit(100), t.Bit(100), 1, 0, 1 << 100),
    ],
)
def test_concatenation_takes_the_sign_of_the_left(
    left: t.Type, right: t.Type, a: int, b: int, result: int
) -> None:
    assert binary("++", a, b, left, right) == result


@pytest.mark.parametrize(
    ("value", "target", "result"),
    [
        (-1, t.Bit(8), 255),
        (255, t.Int(8), -1),
        (-1, t.Int(16), -1),
        (0x1FF, t.Bit(8), 0xFF),
        (0x180, t.Int(8), -128),
        (1, t.Basic.BOOL, True),
        (0, t.Basic.BOOL, False),
        (True, t.Bit(1), 1),
        (-129, t.Int(8), 127),
        (-1, t.Bit(W), TOP),
        (3, t.SerializableEnum("E", t.Bit(2), (("a", 0),)), 3),
        (3, t.NewType("N", t.Bit(8)), 3),
    ],
)
def test_casts(value: int | bool, target: t.Type, result: int | bool) -> None:
    assert operators.cast(Scalar(value), target) == Scalar(result)


def test_slices_are_unsigned_and_masked() -> None:
    assert operators.slice_of(Scalar(0x36), 2, 1) == Scalar(3)
    assert operators.slice_of(Scalar(-1), 9, 8) == Scalar(3)


@pytest.mark.parametrize(
    ("low", "width", "bits", "result"),
    [(0, 4, 0xF, 0x1F), (4, 4, 0, 0x04), (6, 4, 0xF, 0xD4), (8, 4, 0xF, 0x14), (300, 2, 3, 0x14)],
)
def test_a_slice_that_is_written_leaves_the_other_bits(
    low: int, width: int, bits: int, result: int
) -> None:
    written = operators.with_slice(Scalar(0x14), t.Bit(8), low, width, Scalar(bits))
    assert written == Scalar(result)


def test_a_slice_past_the_end_reads_zeros() -> None:
    assert operators.slice_at(Scalar(0xF0), Scalar(6), 4, t.Bit(8)) == Scalar(3)
    assert operators.slice_at(Scalar(0xF0), Scalar(99), 4, t.Bit(8)) == Scalar(0)


def test_undefined_operands_make_undefined_results() -> None:
    left = Scalar(0, undefined=True)
    assert operators.binary("&", left, Scalar(0), t.Bit(8), t.Bit(8)).undefined
    assert operators.cast(left, t.Bit(4)) == left
    assert operators.with_slice(left, t.Bit(8), 0, 4, Scalar(1)).undefined
    assert not operators.with_slice(left, t.Bit(8), 0, 8, Scalar(1)).undefined
