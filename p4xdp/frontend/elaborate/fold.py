"""IR expressions, folded as they are built.

Everything that P4 wants known at compile time (keysets, sizes, action data, loop bounds) is
evaluated by building its expression here and finding a `Const`.
"""

from __future__ import annotations

from p4xdp.midend import fold as folding, ir
from p4xdp.midend.ir import BinaryOp, UnaryOp

ones = folding.ones
signed = folding.signed
negation = folding.negate


def constant(value: int, width: int) -> ir.Const:
    """Return `value` wrapped to `width` bits; not 0 is true for BOOL."""
    return ir.Const(int(value != 0) if width == ir.BOOL else value & ones(width), width)


def boolean(value: bool) -> ir.Const:
    return ir.TRUE if value else ir.FALSE


def unary(op: UnaryOp, operand: ir.Expr) -> ir.Expr:
    return folding.fold(ir.Unary(op, operand))


def binary(op: BinaryOp, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    return folding.fold(ir.Binary(op, left, right))


def conjunction(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    return binary(BinaryOp.LAND, left, right)


def disjunction(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    return binary(BinaryOp.LOR, left, right)


def equal(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    return binary(BinaryOp.EQ, left, right)


def slice_of(base: ir.Expr, high: int, low: int) -> ir.Expr:
    return folding.fold(ir.Slice(base, high, low))


def concat(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    return folding.fold(ir.Concat(left, right))


def resize(base: ir.Expr, width: int, *, sign: bool = False) -> ir.Expr:
    """Return `base` cut or extended to `width` bits."""
    own = ir.width_of(base)
    if width <= own:
        return slice_of(base, width - 1, 0)
    return folding.fold(ir.Extend(base, width, sign))


def mux(condition: ir.Expr, then: ir.Expr, otherwise: ir.Expr) -> ir.Expr:
    return folding.fold(ir.Mux(condition, then, otherwise))


def to_bits(value: ir.Expr) -> ir.Expr:
    """Return a truth value as one bit, any other as it is."""
    return unary(UnaryOp.TO_BITS, value) if ir.width_of(value) == ir.BOOL else value


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
    moved = binary(BinaryOp.SHL, resize(value, width), low)
    return binary(BinaryOp.OR, kept, moved)
