"""Compile-time evaluation, with unlimited precision: literals in, a literal out."""

from __future__ import annotations

from p4xdp.diagnostics import Span
from p4xdp.frontend import typed
from p4xdp.frontend.types import Basic, Bit, Int, SerializableEnum, Type

LARGEST_SHIFT = 1 << 16
"""Shifting an `int` further left than this many bits is refused: the value would fill memory."""


def wrap(value: int, type: Type) -> int:
    """Return the value that `type` keeps of `value`: its low bits, by the sign rule of the type."""
    match type:
        case SerializableEnum(underlying=target):
            return wrap(value, target)
        case Bit(width=width):
            return value & ((1 << width) - 1)
        case Int(width=width):
            value &= (1 << width) - 1
            return value - (1 << width) if value >> (width - 1) else value
        case _:
            return value


def bounds(type: Bit | Int) -> tuple[int, int]:
    """Return the least and the greatest value."""
    if isinstance(type, Bit):
        return 0, (1 << type.width) - 1
    return -(1 << (type.width - 1)), (1 << (type.width - 1)) - 1


def number(value: int, type: Type, span: Span) -> typed.Literal:
    return typed.Literal(wrap(value, type), type, span)


def boolean(value: bool, span: Span) -> typed.Literal:
    return typed.Literal(value, Basic.BOOL, span)


def int_value(e: typed.Expression) -> int | None:
    """Return the value of a number literal, None for anything else."""
    if isinstance(e, typed.Literal) and type(e.value) is int:
        return e.value
    return None


def bool_value(e: typed.Expression) -> bool | None:
    if isinstance(e, typed.Literal) and isinstance(e.value, bool):
        return e.value
    return None


def arithmetic(op: str, left: int, right: int, type: Type) -> int:
    """Return `left op right` in `type`; a divisor is not zero."""
    match op:
        case "+":
            value = left + right
        case "-":
            value = left - right
        case "*":
            value = left * right
        case "/":
            value = left // right
        case "%":
            value = left % right
        case "&":
            value = left & right
        case "|":
            value = left | right
        case "^":
            value = left ^ right
        case _:
            assert isinstance(type, Bit | Int)
            low, high = bounds(type)
            return min(high, max(low, left + right if op == "|+|" else left - right))
    return wrap(value, type)


def shift(op: str, value: int, amount: int, type: Type) -> int:
    """Return `value << amount` or `value >> amount`; a right shift of a negative value floors."""
    if op == ">>":
        return wrap(value >> min(amount, max(value.bit_length(), 1)), type)
    if isinstance(type, Bit | Int) and amount >= type.width:
        return 0
    return wrap(value << amount, type)


def compare(op: str, left: int, right: int) -> bool:
    match op:
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case _:
            return left >= right


def equal(left: typed.Expression, right: typed.Expression) -> bool | None:
    """Return whether two constants are equal, None when that is not known here."""
    match left, right:
        case typed.Literal(), typed.Literal():
            return left.value == right.value
        case typed.EnumMember(), typed.EnumMember():
            return left.name == right.name
        case typed.InvalidHeader(), typed.InvalidHeader():
            return True
        case typed.StructLiteral(), typed.StructLiteral():
            there = dict(right.fields)
            return _all_equal([(value, there[name]) for name, value in left.fields])
        case typed.TupleLiteral(), typed.TupleLiteral():
            return _all_equal(list(zip(left.elements, right.elements, strict=True)))
        case (typed.Ref(declaration=typed.Constant(value=value)), _):
            return equal(value, right)
        case (_, typed.Ref(declaration=typed.Constant(value=value))):
            return equal(left, value)
        case _:
            return None


def _all_equal(pairs: list[tuple[typed.Expression, typed.Expression]]) -> bool | None:
    answers = [equal(left, right) for left, right in pairs]
    if False in answers:
        return False
    return None if None in answers else True


def concatenate(left: int, right: int, right_type: Bit | Int, type: Type) -> int:
    """Return `left ++ right`; `type` is that of the result."""
    return wrap(left << right_type.width | right & ((1 << right_type.width) - 1), type)


def slice_bits(value: int, high: int, low: int) -> int:
    """Return bits `high` down to `low` of the two's complement form of `value`."""
    return (value >> low) & ((1 << (high - low + 1)) - 1)
