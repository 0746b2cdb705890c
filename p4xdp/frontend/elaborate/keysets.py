"""Keysets become tests on bit patterns (sections 8.13, 13.6 and 14.2.1.4)."""

from __future__ import annotations

from p4xdp.diagnostics import fail
from p4xdp.frontend import typed
from p4xdp.frontend import types as t
from p4xdp.frontend.elaborate import expressions, fold
from p4xdp.frontend.elaborate.trees import is_signed, leaf
from p4xdp.frontend.elaborate.walk import Env, Walk
from p4xdp.midend import ir


def tests(walk: Walk, env: Env, keyset: typed.Keyset, kind: t.Type) -> tuple[ir.Test, ...]:
    """Return tests of which one must hold for a key of type `kind`; none for an empty range.

    A range of signed numbers on both sides of 0 is two ranges of bit patterns.
    """
    match keyset:
        case typed.AnyKey():
            return (ir.AnyTest(),)
        case typed.ValueKey(value=value):
            number = known(walk, env, value)
            return (ir.MaskTest(number.value, fold.ones(number.width or 1)),)
        case typed.MaskKey(value=value, mask=mask):
            number, bits = known(walk, env, value), known(walk, env, mask)
            return (ir.MaskTest(number.value & bits.value, bits.value),)
        case typed.RangeKey(low=low, high=high):
            return _range(known(walk, env, low), known(walk, env, high), kind)
        case typed.SetKey(span=span):
            raise fail(
                "unsupported",
                span,
                "parser value sets are not supported",
                help="list the values, or look them up in a table of the control",
            )


def _range(low: ir.Const, high: ir.Const, kind: t.Type) -> tuple[ir.Test, ...]:
    if not is_signed(kind):
        return _pattern_range(low.value, high.value)
    width = low.width
    first, last = fold.signed(low.value, width), fold.signed(high.value, width)
    if first >= 0 or last < 0:
        return _pattern_range(low.value, high.value)
    negative = _pattern_range(low.value, fold.ones(width))
    return (*negative, *_pattern_range(0, high.value))


def _pattern_range(low: int, high: int) -> tuple[ir.Test, ...]:
    return (ir.RangeTest(low, high),) if low <= high else ()


def known(walk: Walk, env: Env, expr: typed.Expression) -> ir.Const:
    """Return the value of a compile-time known scalar; raises CompileError for any other."""
    with walk.collect() as effects:
        value = leaf(expressions.evaluate(walk, env, expr))
    if effects or not isinstance(value, ir.Const):
        raise fail(
            "not-constant",
            expr.span,
            "this value must be known at compile time on this target",
            help="compare with an `if`, or make it a constant",
        )
    return value
