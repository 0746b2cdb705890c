"""IR expressions, built so that an operation on constants is a constant.

Everything that P4 wants known at compile time (keysets, sizes, action data, loop bounds) is
evaluated by building its expression here and finding a `Const`.
"""

from __future__ import annotations

from collections.abc import Callable

from p4xdp.midend import ir
from p4xdp.midend.ir import BinaryOp, UnaryOp


def ones(width: int) -> int:
    return (1 << width) - 1


def signed(value: int, width: int) -> int:
    """Return the two's complement number of a bit pattern."""
    return value - (1 << width) if value >> (width - 1) else value


def constant(value: int, width: int) -> ir.Const:
    """Return `value` wrapped to `width` bits; not 0 is true for BOOL."""
    return ir.Const(int(value != 0) if width == ir.BOOL else value & ones(width), width)


def boolean(value: bool) -> ir.Const:
    return ir.TRUE if value else ir.FALSE


def _clamp(value: int, low: int, high: int) -> int:
    return max(low, min(high, value))


def _saturate_signed(value: int, width: int) -> int:
    return _clamp(value, -(1 << (width - 1)), ones(width - 1))


def _shift_left(left: int, right: int, width: int) -> int:
    return left << right if right < width else 0


def _shift_right_signed(left: int, right: int, width: int) -> int:
    return signed(left, width) >> min(right, width)


# What an operator makes of two bit patterns and their width, before it is wrapped to that width.
_BINARY: dict[BinaryOp, Callable[[int, int, int], int]] = {
    BinaryOp.ADD: lambda a, b, w: a + b,
    BinaryOp.SUB: lambda a, b, w: a - b,
    BinaryOp.MUL: lambda a, b, w: a * b,
    BinaryOp.DIV: lambda a, b, w: a // b if b else 0,
    BinaryOp.MOD: lambda a, b, w: a % b if b else 0,
    BinaryOp.AND: lambda a, b, w: a & b,
    BinaryOp.OR: lambda a, b, w: a | b,
    BinaryOp.XOR: lambda a, b, w: a ^ b,
    BinaryOp.SHL: _shift_left,
    BinaryOp.LSHR: lambda a, b, w: a >> b,
    BinaryOp.ASHR: _shift_right_signed,
    BinaryOp.SAT_ADD: lambda a, b, w: _clamp(a + b, 0, ones(w)),
    BinaryOp.SAT_SUB: lambda a, b, w: _clamp(a - b, 0, ones(w)),
    BinaryOp.SAT_ADD_SIGNED: lambda a, b, w: _saturate_signed(signed(a, w) + signed(b, w), w),
    BinaryOp.SAT_SUB_SIGNED: lambda a, b, w: _saturate_signed(signed(a, w) - signed(b, w), w),
    BinaryOp.EQ: lambda a, b, w: a == b,
    BinaryOp.NE: lambda a, b, w: a != b,
    BinaryOp.LT: lambda a, b, w: a < b,
    BinaryOp.LE: lambda a, b, w: a <= b,
    BinaryOp.LT_SIGNED: lambda a, b, w: signed(a, w) < signed(b, w),
    BinaryOp.LE_SIGNED: lambda a, b, w: signed(a, w) <= signed(b, w),
    BinaryOp.LAND: lambda a, b, w: a and b,
    BinaryOp.LOR: lambda a, b, w: a or b,
}


def binary(op: BinaryOp, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    match left, right:
        case ir.Const(value=a, width=width), ir.Const(value=b):
            result = ir.BOOL if op in ir.COMPARISONS else width
            return constant(_BINARY[op](a, b, width), result)
    if op is BinaryOp.LAND:
        return conjunction(left, right)
    if op is BinaryOp.LOR:
        return disjunction(left, right)
    if op in (BinaryOp.EQ, BinaryOp.NE) and ir.width_of(left) == ir.BOOL:
        return _same_truth(op, left, right)
    return ir.Binary(op, left, right)


def _same_truth(op: BinaryOp, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    if isinstance(left, ir.Const):
        left, right = right, left
    if isinstance(right, ir.Const):
        return left if (right.value == 1) == (op is BinaryOp.EQ) else negation(left)
    return ir.Binary(op, left, right)


def conjunction(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    if ir.FALSE in (left, right):
        return ir.FALSE
    if left == ir.TRUE:
        return right
    return left if right == ir.TRUE else ir.Binary(BinaryOp.LAND, left, right)


def disjunction(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    if ir.TRUE in (left, right):
        return ir.TRUE
    if left == ir.FALSE:
        return right
    return left if right == ir.FALSE else ir.Binary(BinaryOp.LOR, left, right)


def negation(operand: ir.Expr) -> ir.Expr:
    return unary(UnaryOp.LNOT, operand)


def unary(op: UnaryOp, operand: ir.Expr) -> ir.Expr:
    match op, operand:
        case UnaryOp.LNOT, ir.Unary(op=UnaryOp.LNOT, operand=inner):
            return inner
        case (UnaryOp.TO_BITS, ir.Unary(op=UnaryOp.TO_BOOL, operand=inner)) | (
            UnaryOp.TO_BOOL,
            ir.Unary(op=UnaryOp.TO_BITS, operand=inner),
        ):
            return inner
        case UnaryOp.NOT, ir.Const(value=value, width=width):
            return constant(~value, width)
        case UnaryOp.NEG, ir.Const(value=value, width=width):
            return constant(-value, width)
        case UnaryOp.LNOT, ir.Const(value=value):
            return boolean(not value)
        case UnaryOp.TO_BITS, ir.Const(value=value):
            return constant(value, 1)
        case UnaryOp.TO_BOOL, ir.Const(value=value):
            return boolean(value == 1)
        case _:
            return ir.Unary(op, operand)


def slice_of(base: ir.Expr, high: int, low: int) -> ir.Expr:
    if low == 0 and high + 1 == ir.width_of(base):
        return base
    match base:
        case ir.Const(value=value):
            return constant(value >> low, high - low + 1)
        case ir.Slice(base=inner, low=offset):
            return ir.Slice(inner, high + offset, low + offset)
        case _:
            return ir.Slice(base, high, low)


def concat(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    match left, right:
        case ir.Const(value=a, width=wide), ir.Const(value=b, width=width):
            return ir.Const(a << width | b, wide + width)
        case _:
            return ir.Concat(left, right)


def extend(base: ir.Expr, width: int, *, sign: bool = False) -> ir.Expr:
    """Return `base` in `width` bits, not less than its own."""
    own = ir.width_of(base)
    if own == width:
        return base
    if isinstance(base, ir.Const):
        return constant(signed(base.value, own) if sign else base.value, width)
    return ir.Extend(base, width, sign)


def resize(base: ir.Expr, width: int, *, sign: bool = False) -> ir.Expr:
    """Return `base` cut or extended to `width` bits."""
    if width < ir.width_of(base):
        return slice_of(base, width - 1, 0)
    return extend(base, width, sign=sign)


def mux(condition: ir.Expr, then: ir.Expr, otherwise: ir.Expr) -> ir.Expr:
    if condition == ir.TRUE or then == otherwise:
        return then
    if condition == ir.FALSE:
        return otherwise
    if (then, otherwise) == (ir.TRUE, ir.FALSE):
        return condition
    if (then, otherwise) == (ir.FALSE, ir.TRUE):
        return negation(condition)
    return ir.Mux(condition, then, otherwise)


def to_bits(value: ir.Expr) -> ir.Expr:
    """Return a truth value as one bit, any other as it is."""
    return unary(UnaryOp.TO_BITS, value) if ir.width_of(value) == ir.BOOL else value


def equal(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    return binary(BinaryOp.EQ, left, right)


def insert(whole: ir.Expr, high: int, low: int, value: ir.Expr) -> ir.Expr:
    """Return `whole` with its bits high..low replaced by `value`."""
    width = ir.width_of(whole)
    result = value
    if low > 0:
        result = concat(result, slice_of(whole, low - 1, 0))
    if high + 1 < width:
        result = concat(slice_of(whole, width - 1, high + 1), result)
    return result


def insert_at(whole: ir.Expr, low: ir.Expr, value: ir.Expr) -> ir.Expr:
    """Return `whole` with the bits from run-time position `low` on replaced by `value`; bits
    past the end are dropped."""
    width = ir.width_of(whole)
    hole = binary(BinaryOp.SHL, ir.Const(ones(ir.width_of(value)), width), low)
    kept = binary(BinaryOp.AND, whole, unary(UnaryOp.NOT, hole))
    moved = binary(BinaryOp.SHL, extend(value, width), low)
    return binary(BinaryOp.OR, kept, moved)
