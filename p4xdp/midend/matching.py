"""Tests of select cases and table entries: against numbers, and as conditions on expressions."""

from __future__ import annotations

from typing import assert_never

from p4xdp.midend.fold import fold, ones
from p4xdp.midend.ir import (
    BOOL,
    TRUE,
    AnyTest,
    Binary,
    BinaryOp,
    Const,
    Expr,
    MaskTest,
    RangeTest,
    Test,
    width_of,
)


def always(key: Expr, test: Test) -> bool:
    """Tell whether the test is sure to hold for the key."""
    if isinstance(key, Const):
        return passes(test, key.value)
    return isinstance(test, AnyTest) or (isinstance(test, MaskTest) and test.mask == 0)


def passes(test: Test, value: int) -> bool:
    """Tell whether a value passes a test."""
    match test:
        case AnyTest():
            return True
        case MaskTest(value=wanted, mask=mask):
            return value & mask == wanted
        case RangeTest(low=low, high=high):
            return low <= value <= high


def condition(key: Expr, test: Test) -> Expr:
    """Return the truth value of a test of a key."""
    width = width_of(key)
    match test:
        case AnyTest():
            return TRUE
        case MaskTest(value=value, mask=mask) if mask == ones(width):
            return fold(Binary(BinaryOp.EQ, key, Const(value, width)))
        case MaskTest(value=value, mask=mask):
            if width == BOOL:
                return TRUE
            masked = fold(Binary(BinaryOp.AND, key, Const(mask, width)))
            return fold(Binary(BinaryOp.EQ, masked, Const(value, width)))
        case RangeTest(low=low, high=high):
            return _between(key, low, high, width)
        case _:
            assert_never(test)


def _between(key: Expr, low: int, high: int, width: int) -> Expr:
    if width == BOOL:
        return TRUE if low < high else fold(Binary(BinaryOp.EQ, key, Const(low, BOOL)))
    least = fold(Binary(BinaryOp.LE, Const(low, width), key))
    most = fold(Binary(BinaryOp.LE, key, Const(high, width)))
    return fold(Binary(BinaryOp.LAND, least, most))
