"""Operators and casts on scalars (sections 8.5 to 8.12).

Numbers are computed without limit and then wrapped to the width of the result. A result is
undefined when an operand is.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from p4xdp.diagnostics import InternalError
from p4xdp.frontend import types as t
from p4xdp.interp.values import Scalar, Value, number, plain


def pattern(value: int, width: int) -> int:
    """Return the two's complement of a number in `width` bits, as an unsigned number."""
    return value & ((1 << width) - 1)


def wrap(value: int, kind: t.Type) -> int:
    """Return what a type keeps of a number (sections 8.7 and 8.8); `int` keeps all of it."""
    match plain(kind):
        case t.Bit(width=width):
            return pattern(value, width)
        case t.Int(width=width):
            bits = pattern(value, width)
            return bits - (1 << width) if bits >> (width - 1) else bits
        case _:
            return value


def width_of(kind: t.Type) -> int:
    """Return the bits of a `bit` or `int` type; a bool counts as one."""
    match plain(kind):
        case t.Bit(width=width) | t.Int(width=width):
            return width
        case t.Basic.BOOL:
            return 1
        case other:
            raise InternalError("interp", f"{other} has no width")


def _bounds(kind: t.Type) -> tuple[int, int]:
    width = width_of(kind)
    if isinstance(plain(kind), t.Int):
        return -(1 << (width - 1)), (1 << (width - 1)) - 1
    return 0, (1 << width) - 1


# Unary (sections 8.5, 8.7, 8.8)


def unary(op: str, operand: Scalar, kind: t.Type) -> Scalar:
    """Return `!`, `~` or `-` of an operand; `kind` is the type of the result."""
    match op:
        case "!":
            return Scalar(not operand.value, operand.undefined)
        case "~":
            return Scalar(wrap(~number(operand), kind), operand.undefined)
        case _:
            return Scalar(wrap(-number(operand), kind), operand.undefined)


# Binary, without `&&`, `||`, `==` and `!=`

_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MODULAR: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}


def binary(op: str, left: Scalar, right: Scalar, left_type: t.Type, right_type: t.Type) -> Scalar:
    """Return `left op right`; what division by zero gives, P4 leaves open."""
    undefined = left.undefined or right.undefined
    if isinstance(left.value, str):
        return Scalar(f"{left.value}{right.value}", undefined)
    a, b = number(left), number(right)
    if op in ("/", "%") and b == 0:
        return Scalar(0, undefined=True)
    if op in _COMPARE:
        return Scalar(_COMPARE[op](a, b), undefined)
    if op == "++":
        return Scalar(concatenate(a, b, left_type, right_type), undefined)
    return Scalar(arithmetic(op, a, b, left_type), undefined)


def arithmetic(op: str, a: int, b: int, kind: t.Type) -> int:
    """Return `a op b` in the type of the left operand; a divisor is not 0."""
    if op in _MODULAR:
        return wrap(_MODULAR[op](a, b), kind)
    match op:
        case "|+|" | "|-|":
            low, high = _bounds(kind)
            return min(high, max(low, a + b if op == "|+|" else a - b))
        case "<<":
            return shift_left(a, b, kind)
        case ">>":
            return a >> min(b, max(a.bit_length(), 1))
        case "/":
            return a // b
        case "%":
            return a % b
        case _:
            raise InternalError("interp", f"operator {op}")


def shift_left(a: int, amount: int, kind: t.Type) -> int:
    """Shift out everything where the amount is the width or more (section 8.10.2)."""
    if plain(kind) is not t.Basic.INT and amount >= width_of(kind):
        return 0
    return wrap(a << amount, kind)


def concatenate(a: int, b: int, left_type: t.Type, right_type: t.Type) -> int:
    """Return `a ++ b`, with the sign of the left operand (section 8.10.1)."""
    low = width_of(right_type)
    total = width_of(left_type) + low
    result = t.Int(total) if isinstance(plain(left_type), t.Int) else t.Bit(total)
    return wrap(a << low | pattern(b, low), result)


# Slices (section 8.7)


def slice_of(value: Scalar, high: int, low: int) -> Scalar:
    """Return bits `high` to `low`, unsigned."""
    return Scalar(pattern(number(value) >> low, high - low + 1), value.undefined)


def slice_at(value: Scalar, low: Scalar, width: int, kind: t.Type) -> Scalar:
    """Return `value[low+:width]`: zeros past the end, as after a shift by `low`."""
    moved = shift_right_pattern(value, number(low), kind)
    return Scalar(pattern(moved, width), value.undefined or low.undefined)


def shift_right_pattern(value: Scalar, amount: int, kind: t.Type) -> int:
    return pattern(number(value), width_of(kind)) >> min(amount, width_of(kind))


def with_slice(whole: Scalar, kind: t.Type, low: int, width: int, bits: Scalar) -> Scalar:
    """Return `whole` with `bits` in `width` places from `low` on; what is past the end is lost."""
    total = width_of(kind)
    mask = pattern(((1 << width) - 1) << low, total) if low < total else 0
    placed = (number(bits) << low) & mask if low < total else 0
    value = pattern(number(whole), total) & ~mask | placed
    is_all = mask == (1 << total) - 1
    return Scalar(wrap(value, kind), bits.undefined or (whole.undefined and not is_all))


# Casts (section 8.12)


def cast(value: Value, target: t.Type) -> Value:
    """Return a value as one of another type; compound values only change their type's name.

    Numbers are values and not patterns, so wrapping does it all: a negative `int<8>` stays the
    same number in an `int<16>` and becomes a great one in a `bit<8>`.
    """
    if not isinstance(value, Scalar):
        return value
    to = plain(target)
    if to is t.Basic.BOOL and isinstance(value.value, int):
        return Scalar(value.value != 0, value.undefined)
    if isinstance(value.value, bool) and isinstance(to, t.Bit | t.Int):
        return Scalar(wrap(int(value.value), to), value.undefined)
    if isinstance(value.value, int) and isinstance(to, t.Bit | t.Int):
        return Scalar(wrap(value.value, to), value.undefined)
    return value
