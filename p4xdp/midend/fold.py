"""Evaluate operators on constants, and shorten expressions by algebra.

In: an expression whose operands are already folded. Out: an expression of the same width and the
same value whatever its variables hold. Everything here relies on expressions having no effect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce

from p4xdp.midend.ir import (
    BOOL,
    COMPARISONS,
    FALSE,
    LIMB,
    TRUE,
    Binary,
    BinaryOp,
    Concat,
    Const,
    Expr,
    Extend,
    Load,
    Mux,
    Pure,
    Slice,
    Unary,
    UnaryOp,
    Var,
    stored_width,
    width_of,
)

COMMUTATIVE = frozenset(
    {
        BinaryOp.ADD,
        BinaryOp.MUL,
        BinaryOp.AND,
        BinaryOp.OR,
        BinaryOp.XOR,
        BinaryOp.SAT_ADD,
        BinaryOp.SAT_ADD_SIGNED,
        BinaryOp.EQ,
        BinaryOp.NE,
    }
)


def fold(expr: Expr) -> Expr:
    """Return the shortest form that the rules below find for the outermost operator."""
    rules = _RULES.get(type(expr))
    return rules(expr) if rules else expr


# Numbers


def ones(width: int) -> int:
    """Return the greatest value of a width, BOOL included."""
    return (1 << stored_width(width)) - 1


def signed(value: int, width: int) -> int:
    """Return the two's complement number that a bit pattern stands for."""
    return value - (1 << width) if value >> (width - 1) else value


def evaluate_unary(op: UnaryOp, value: int, width: int) -> int:
    """Return the bit pattern of the result; `width` is the operand's."""
    match op:
        case UnaryOp.NOT:
            return value ^ ones(width)
        case UnaryOp.NEG:
            return -value & ones(width)
        case UnaryOp.LNOT:
            return 1 - value
        case UnaryOp.TO_BITS | UnaryOp.TO_BOOL:
            return value


def evaluate_binary(op: BinaryOp, left: int, right: int, width: int) -> int:
    """Return the bit pattern of the result; `width` is the left operand's."""
    return _EVALUATE[op](left, right, width) & ones(BOOL if op in COMPARISONS else width)


def _saturate(value: int, low: int, high: int) -> int:
    return max(low, min(high, value))


def _saturate_signed(value: int, width: int) -> int:
    return _saturate(value, -(1 << (width - 1)), (1 << (width - 1)) - 1)


_EVALUATE: dict[BinaryOp, Callable[[int, int, int], int]] = {
    BinaryOp.ADD: lambda a, b, w: a + b,
    BinaryOp.SUB: lambda a, b, w: a - b,
    BinaryOp.MUL: lambda a, b, w: a * b,
    BinaryOp.DIV: lambda a, b, w: a // b if b else 0,
    BinaryOp.MOD: lambda a, b, w: a % b if b else 0,
    BinaryOp.AND: lambda a, b, w: a & b,
    BinaryOp.OR: lambda a, b, w: a | b,
    BinaryOp.XOR: lambda a, b, w: a ^ b,
    BinaryOp.SHL: lambda a, b, w: a << b if b < w else 0,
    BinaryOp.LSHR: lambda a, b, w: a >> min(b, w),
    BinaryOp.ASHR: lambda a, b, w: signed(a, w) >> min(b, w),
    BinaryOp.SAT_ADD: lambda a, b, w: _saturate(a + b, 0, ones(w)),
    BinaryOp.SAT_SUB: lambda a, b, w: _saturate(a - b, 0, ones(w)),
    BinaryOp.SAT_ADD_SIGNED: lambda a, b, w: _saturate_signed(signed(a, w) + signed(b, w), w),
    BinaryOp.SAT_SUB_SIGNED: lambda a, b, w: _saturate_signed(signed(a, w) - signed(b, w), w),
    BinaryOp.EQ: lambda a, b, w: a == b,
    BinaryOp.NE: lambda a, b, w: a != b,
    BinaryOp.LT: lambda a, b, w: a < b,
    BinaryOp.LE: lambda a, b, w: a <= b,
    BinaryOp.LT_SIGNED: lambda a, b, w: signed(a, w) < signed(b, w),
    BinaryOp.LE_SIGNED: lambda a, b, w: signed(a, w) <= signed(b, w),
    BinaryOp.LAND: lambda a, b, w: a & b,
    BinaryOp.LOR: lambda a, b, w: a | b,
}


# Operators with one operand


def negate(condition: Expr) -> Expr:
    """Return the folded opposite of a truth value."""
    return _unary(Unary(UnaryOp.LNOT, condition))


_OPPOSITE = {BinaryOp.EQ: BinaryOp.NE, BinaryOp.NE: BinaryOp.EQ}
_TURNED = {
    BinaryOp.LT: BinaryOp.LE,
    BinaryOp.LE: BinaryOp.LT,
    BinaryOp.LT_SIGNED: BinaryOp.LE_SIGNED,
    BinaryOp.LE_SIGNED: BinaryOp.LT_SIGNED,
}
_INVERSE = {
    UnaryOp.NOT: UnaryOp.NOT,
    UnaryOp.NEG: UnaryOp.NEG,
    UnaryOp.LNOT: UnaryOp.LNOT,
    UnaryOp.TO_BITS: UnaryOp.TO_BOOL,
    UnaryOp.TO_BOOL: UnaryOp.TO_BITS,
}


def _unary(expr: Unary) -> Expr:
    match expr.operand:
        case Const(value=value, width=width):
            return Const(evaluate_unary(expr.op, value, width), width_of(expr))
        case Unary(op=op, operand=inner) if op is _INVERSE[expr.op]:
            return inner
        case Binary(op=op, left=left, right=right) if expr.op is UnaryOp.LNOT:
            if op in _OPPOSITE:
                return Binary(_OPPOSITE[op], left, right)
            if op in _TURNED:
                return Binary(_TURNED[op], right, left)
    return expr


# Operators with two operands


def _binary(expr: Binary) -> Expr:
    op, left, right = expr.op, expr.left, expr.right
    if isinstance(left, Const) and isinstance(right, Const):
        value = evaluate_binary(op, left.value, right.value, left.width)
        return Const(value, width_of(expr))
    if op in COMMUTATIVE and isinstance(left, Const):
        return _binary(Binary(op, right, left))
    if op in (BinaryOp.LAND, BinaryOp.LOR):
        return _logical(expr)
    if left == right and op in _SAME:
        return _SAME[op](left)
    if isinstance(right, Const):
        return _with_constant(op, left, right) or expr
    if isinstance(left, Const):
        return _constant_first(op, left, right) or expr
    return expr


_SAME: dict[BinaryOp, Callable[[Expr], Expr]] = {
    BinaryOp.SUB: lambda x: Const(0, width_of(x)),
    BinaryOp.XOR: lambda x: Const(0, width_of(x)),
    BinaryOp.AND: lambda x: x,
    BinaryOp.OR: lambda x: x,
    BinaryOp.EQ: lambda x: TRUE,
    BinaryOp.LE: lambda x: TRUE,
    BinaryOp.LE_SIGNED: lambda x: TRUE,
    BinaryOp.NE: lambda x: FALSE,
    BinaryOp.LT: lambda x: FALSE,
    BinaryOp.LT_SIGNED: lambda x: FALSE,
}


def _logical(expr: Binary) -> Expr:
    left, right = expr.left, expr.right
    neutral = TRUE if expr.op is BinaryOp.LAND else FALSE
    if left == neutral or left == right:
        return right
    if right == neutral:
        return left
    if isinstance(left, Const) or isinstance(right, Const):
        return negate(neutral)
    return expr


_UNCHANGED_BY_ZERO = frozenset(
    {
        BinaryOp.ADD,
        BinaryOp.SUB,
        BinaryOp.OR,
        BinaryOp.XOR,
        BinaryOp.SHL,
        BinaryOp.LSHR,
        BinaryOp.ASHR,
        BinaryOp.SAT_ADD,
        BinaryOp.SAT_SUB,
        BinaryOp.SAT_ADD_SIGNED,
        BinaryOp.SAT_SUB_SIGNED,
    }
)
_ZERO_BY_ZERO = frozenset({BinaryOp.MUL, BinaryOp.AND, BinaryOp.DIV, BinaryOp.MOD})


def _with_constant(op: BinaryOp, left: Expr, right: Const) -> Expr | None:
    width = width_of(left)
    if right.value == 0 and op in _UNCHANGED_BY_ZERO:
        return left
    if right.value == 0 and op in _ZERO_BY_ZERO:
        return Const(0, width)
    if op in COMPARISONS:
        return _compare(op, left, right)
    return _arithmetic(op, left, right, width) or _reassociate(op, left, right, width)


def _arithmetic(op: BinaryOp, left: Expr, right: Const, width: int) -> Expr | None:
    value = right.value
    match op:
        case BinaryOp.MUL | BinaryOp.DIV if value == 1:
            return left
        case BinaryOp.MOD if value == 1:
            return Const(0, width)
        case BinaryOp.AND if value == ones(width):
            return left
        case BinaryOp.OR | BinaryOp.SAT_ADD if value == ones(width):
            return right
        case BinaryOp.SAT_SUB if value == ones(width):
            return Const(0, width)
        case BinaryOp.XOR if value == ones(width):
            return _unary(Unary(UnaryOp.NOT, left))
        case BinaryOp.SHL | BinaryOp.LSHR if value >= width:
            return Const(0, width)
        case _:
            return None


_CHAINS = frozenset({BinaryOp.ADD, BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR, BinaryOp.MUL})


def _reassociate(op: BinaryOp, left: Expr, right: Const, width: int) -> Expr | None:
    if not (isinstance(left, Binary) and left.op is op and isinstance(left.right, Const)):
        return None
    inner = left.right
    if op in _CHAINS:
        value = evaluate_binary(op, inner.value, right.value, width)
        return _binary(Binary(op, left.left, Const(value, width)))
    if op in (BinaryOp.SHL, BinaryOp.LSHR):
        amount = inner.value + right.value
        return _binary(Binary(op, left.left, Const(amount, max(8, amount.bit_length()))))
    return None


def _compare(op: BinaryOp, left: Expr, right: Const) -> Expr | None:
    value, width = right.value, right.width
    if width == BOOL:
        return left if (op is BinaryOp.EQ) == bool(value) else negate(left)
    match op, left:
        case BinaryOp.LT, _ if value == 0:
            return FALSE
        case BinaryOp.LE, _ if value == ones(width):
            return TRUE
        case _, Mux(condition=condition, then=Const() as then, otherwise=Const() as otherwise):
            arms = (_binary(Binary(op, arm, right)) for arm in (then, otherwise))
            return _mux(Mux(condition, *arms))
        case BinaryOp.EQ | BinaryOp.NE, Unary(op=UnaryOp.TO_BITS, operand=truth):
            return truth if (op is BinaryOp.EQ) == bool(value) else negate(truth)
        case BinaryOp.EQ | BinaryOp.NE, Unary(op=UnaryOp.NOT, operand=base):
            return _binary(Binary(op, base, Const(ones(width) - value, width)))
        case BinaryOp.EQ | BinaryOp.NE | BinaryOp.LT | BinaryOp.LE, Extend(base=base, signed=False):
            return _compare_narrow(op, base, value)
        case _:
            return None


def _compare_narrow(op: BinaryOp, base: Expr, value: int) -> Expr:
    """Compare what was extended by zeros with a constant at its own width."""
    width = width_of(base)
    if value <= ones(width):
        return _binary(Binary(op, base, Const(value, width)))
    return FALSE if op is BinaryOp.EQ else TRUE


def _constant_first(op: BinaryOp, left: Const, right: Expr) -> Expr | None:
    value, width = left.value, left.width
    match op, right:
        case BinaryOp.LE, _ if value == 0:
            return TRUE
        case BinaryOp.LT, _ if value == ones(width):
            return FALSE
        case BinaryOp.SHL | BinaryOp.LSHR | BinaryOp.DIV | BinaryOp.MOD, _ if value == 0:
            return left
        case BinaryOp.SAT_SUB, _ if value == 0:
            return left
        case BinaryOp.SUB, _ if value == 0:
            return _unary(Unary(UnaryOp.NEG, right))
        case BinaryOp.LT | BinaryOp.LE, Mux(then=Const() as then, otherwise=Const() as otherwise):
            arms = (_binary(Binary(op, left, arm)) for arm in (then, otherwise))
            return _mux(Mux(right.condition, *arms))
        case _:
            return None


# Parts of values


def _slice(expr: Slice) -> Expr:
    base, high, low = expr.base, expr.high, expr.low
    width = high - low + 1
    if width == width_of(base):
        return base
    match base:
        case Const(value=value):
            return Const(value >> low & ones(width), width)
        case Slice(base=inner, low=start):
            return _slice(Slice(inner, high + start, low + start))
        case Concat(left=left, right=right):
            return _slice_concat(left, right, expr)
        case Extend(base=inner, signed=sign):
            return _slice_extend(inner, sign, expr)
        case Load(pointer=pointer, offset=offset, width=whole):
            return Load(pointer, offset + whole - 1 - high, width)
        case Mux(condition=condition, then=then, otherwise=otherwise) if isinstance(
            then, Const
        ) or isinstance(otherwise, Const):
            arms = (_slice(Slice(arm, high, low)) for arm in (then, otherwise))
            return _mux(Mux(condition, *arms))
        case _:
            return expr


def _slice_concat(left: Expr, right: Expr, expr: Slice) -> Expr:
    split = width_of(right)
    if expr.low >= split:
        return _slice(Slice(left, expr.high - split, expr.low - split))
    if expr.high < split:
        return _slice(Slice(right, expr.high, expr.low))
    return expr


def _slice_extend(inner: Expr, sign: bool, expr: Slice) -> Expr:
    width = width_of(inner)
    if expr.high < width:
        return _slice(Slice(inner, expr.high, expr.low))
    if expr.low >= width and not sign:
        return Const(0, width_of(expr))
    if expr.low == 0:
        return _extend(Extend(inner, expr.high + 1, sign))
    return expr


def _concat(expr: Concat) -> Expr:
    left, right = expr.left, expr.right
    width = width_of(expr)
    match left, right:
        case Concat(left=first, right=last), _ if width <= LIMB:
            joined = _concat(Concat(last, right))
            if not isinstance(joined, Concat):
                return _concat(Concat(first, joined))
        case Const(), Const(width=low):
            return Const(left.value << low | right.value, width)
        case Const(value=0), _:
            return _extend(Extend(right, width))
        case Slice(base=high), Slice(base=base) if left.low == right.high + 1 and high == base:
            return _slice(Slice(base, left.high, right.low))
        case Load(), Load() if width <= LIMB and left.pointer == right.pointer:
            if left.offset + left.width == right.offset:
                return Load(left.pointer, left.offset, width)
    return expr


def _pure(expr: Pure) -> Expr:
    match expr.name:
        case "csum_replace2" | "csum_replace4":
            return _change(expr)
        case "csum16":
            return _sum(expr)
        case _:
            return expr


def _sum(expr: Pure) -> Expr:
    """Add by 32 bits what lies in the packet in a row, and by 16 what would have to be joined."""
    parts: list[Expr] = []
    for half in (half for part in expr.arguments for half in _halves(part)):
        joined = _concat(Concat(parts[-1], half)) if parts else half
        if parts and width_of(joined) == 32 and isinstance(joined, Load | Slice | Var | Const):
            parts[-1] = joined
        else:
            parts.append(half)
    return expr if tuple(parts) == expr.arguments else Pure(expr.name, tuple(parts), expr.width)


def _halves(part: Expr) -> tuple[Expr, ...]:
    """Return 32 bits in halves, where that makes neither of them harder to get at."""
    if width_of(part) != 32 or not isinstance(part, Concat | Load | Const):
        return (part,)
    if isinstance(part, Concat) and 16 not in _starts(part):
        return (part,)
    return _slice(Slice(part, 31, 16)), _slice(Slice(part, 15, 0))


def _change(expr: Pure) -> Expr:
    """Leave out of a checksum's change what a number has both before and after: it cancels out."""
    checksum, old, new = expr.arguments
    width = width_of(old)
    starts = sorted({*_starts(old), *_starts(new)}, reverse=True)
    highs = (width, *starts)
    pairs = [
        (_slice(Slice(old, high - 1, low)), _slice(Slice(new, high - 1, low)))
        for high, low in zip(highs, starts, strict=False)
    ]
    if not any(one == other and not isinstance(one, Const) for one, other in pairs):
        return expr
    pairs = [_without_common(one, other) for one, other in pairs]
    old, new = (reduce(_joined, side) for side in zip(*pairs, strict=True))
    return Pure(expr.name, (checksum, old, new), expr.width)


def _without_common(one: Expr, other: Expr) -> tuple[Expr, Expr]:
    nothing = Const(0, width_of(one))
    return (nothing, nothing) if one == other else (one, other)


def _joined(left: Expr, right: Expr) -> Expr:
    return _concat(Concat(left, right))


def _starts(expr: Expr, at: int = 0) -> Iterator[int]:
    """Yield the lowest bits of the parts that an expression is put together from."""
    yield at
    match expr:
        case Concat(left=left, right=right):
            yield from _starts(right, at)
            yield from _starts(left, at + width_of(right))
        case Extend(base=base):
            yield at + width_of(base)
        case _:
            pass


def _extend(expr: Extend) -> Expr:
    match expr.base:
        case Const(value=value, width=width):
            number = signed(value, width) if expr.signed else value
            return Const(number & ones(expr.width), expr.width)
        case Extend(base=inner, signed=sign) if sign == expr.signed or not sign:
            return Extend(inner, expr.width, sign)
        case _:
            return expr


def _mux(expr: Mux) -> Expr:
    condition, then, otherwise = expr.condition, expr.then, expr.otherwise
    if isinstance(condition, Const):
        return then if condition.value else otherwise
    if then == otherwise:
        return then
    if isinstance(condition, Unary) and condition.op is UnaryOp.LNOT:
        return _mux(Mux(condition.operand, otherwise, then))
    if width_of(then) == BOOL:
        return _mux_of_truth(expr)
    return expr


def _mux_of_truth(expr: Mux) -> Expr:
    condition = expr.condition
    match expr.then, expr.otherwise:
        case Const(value=1), other:
            return _logical(Binary(BinaryOp.LOR, condition, other))
        case Const(value=0), other:
            return _logical(Binary(BinaryOp.LAND, negate(condition), other))
        case other, Const(value=0):
            return _logical(Binary(BinaryOp.LAND, condition, other))
        case other, Const(value=1):
            return _logical(Binary(BinaryOp.LOR, negate(condition), other))
        case _:
            return expr


_RULES: dict[type, Callable[..., Expr]] = {
    Unary: _unary,
    Binary: _binary,
    Slice: _slice,
    Concat: _concat,
    Extend: _extend,
    Mux: _mux,
    Pure: _pure,
}
