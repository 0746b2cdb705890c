"""Arithmetic on values wider than 64 bits, in limbs of 64 bits.

In: operands as lists of limbs, the lowest first, each limb an expression of at most 64 bits. Out:
the limbs of the result. All limbs but the highest have exactly 64 bits. What several limbs need is
put into temporaries by way of `Temporaries`.
"""

from __future__ import annotations

from collections.abc import Callable

from p4xdp.midend.fold import fold, ones
from p4xdp.midend.ir import (
    FALSE,
    LIMB,
    TRUE,
    Assign,
    Binary,
    BinaryOp,
    Concat,
    Const,
    Expr,
    Extend,
    Mux,
    Slice,
    Stmt,
    Unary,
    UnaryOp,
    Var,
    width_of,
)
from p4xdp.records import dataclass, field

Limbs = list[Expr]
HALF = LIMB // 2


@dataclass(slots=True)
class Temporaries:
    """Assignments that must run before the statement whose expression is being split."""

    prefix: str = "$wide"
    count: int = 0
    pending: list[Stmt] = field(default_factory=list)

    def keep(self, expr: Expr) -> Expr:
        """Return a name for the value, or the value if it is as short as a name."""
        if isinstance(expr, Var | Const):
            return expr
        var = Var(f"{self.prefix}{self.count}", width_of(expr))
        self.count += 1
        self.pending.append(Assign(var, expr))
        return var

    def take(self) -> list[Stmt]:
        """Return and forget what has been put down so far."""
        pending, self.pending = self.pending, []
        return pending


# Small pieces


def binary(op: BinaryOp, left: Expr, right: Expr) -> Expr:
    return fold(Binary(op, left, right))


def choose(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    return fold(Mux(condition, then, otherwise))


def conjunction(left: Expr, right: Expr) -> Expr:
    return binary(BinaryOp.LAND, left, right)


def disjunction(left: Expr, right: Expr) -> Expr:
    return binary(BinaryOp.LOR, left, right)


def zero(width: int) -> Const:
    return Const(0, width)


def bit(truth: Expr, width: int) -> Expr:
    """Return 0 or 1 of the width for a truth value."""
    one = fold(Unary(UnaryOp.TO_BITS, truth))
    return one if width == 1 else fold(Extend(one, width))


def sign_of(limbs: Limbs) -> Expr:
    """Return the highest bit as a truth value."""
    top = limbs[-1]
    high = width_of(top) - 1
    return fold(Unary(UnaryOp.TO_BOOL, fold(Slice(top, high, high))))


def limb_widths_up(width: int) -> list[int]:
    """Return the widths of the limbs of a value, the lowest first."""
    high = width % LIMB
    return [LIMB] * (width // LIMB) + ([high] if high else [])


def constant(value: int, width: int) -> Limbs:
    """Return the limbs of a constant."""
    result: Limbs = []
    for part in limb_widths_up(width):
        result.append(Const(value & ones(part), part))
        value >>= part
    return result


def regroup(pieces: list[Expr], width: int) -> Limbs:
    """Return the limbs of a value given as neighbouring pieces of any widths, the lowest first."""
    result: Limbs = []
    rest = list(pieces)
    for wanted in limb_widths_up(width):
        taken: list[Expr] = []
        missing = wanted
        while missing:
            piece = rest.pop(0)
            size = width_of(piece)
            if size > missing:
                rest.insert(0, fold(Slice(piece, size - 1, missing)))
                piece = fold(Slice(piece, missing - 1, 0))
                size = missing
            taken.append(piece)
            missing -= size
        result.append(_joined(taken))
    return result


def _joined(pieces: list[Expr]) -> Expr:
    result = pieces[0]
    for piece in pieces[1:]:
        result = fold(Concat(piece, result))
    return result


def slice_limbs(limbs: Limbs, high: int, low: int) -> list[Expr]:
    """Return the bits from `high` to `low` as pieces, the lowest first."""
    pieces: list[Expr] = []
    for index, limb in enumerate(limbs):
        start = index * LIMB
        top = min(high - start, width_of(limb) - 1)
        bottom = max(low - start, 0)
        if bottom <= top:
            pieces.append(fold(Slice(limb, top, bottom)))
    return pieces


def extend_limbs(limbs: Limbs, old: int, width: int, signed: bool) -> Limbs:
    """Return a value of `old` bits with zeros, or copies of its sign, up to `width` bits."""
    fill: list[Expr] = []
    missing = width - old
    sign = sign_of(limbs) if signed else FALSE
    while missing > 0:
        part = min(missing, LIMB)
        fill.append(choose(sign, Const(ones(part), part), zero(part)))
        missing -= part
    return regroup([*limbs, *fill], width)


# Operators


def each(function: Callable[[Expr, Expr], Expr], left: Limbs, right: Limbs) -> Limbs:
    return [function(a, b) for a, b in zip(left, right, strict=True)]


def add(left: Limbs, right: Limbs, temps: Temporaries) -> tuple[Limbs, Expr]:
    """Return the sum and the carry out of it."""
    result: Limbs = []
    carry: Expr = FALSE
    for a, b in zip(left, right, strict=True):
        a, b = temps.keep(a), temps.keep(b)
        part = temps.keep(binary(BinaryOp.ADD, a, b))
        over = binary(BinaryOp.LT, part, a)
        total = temps.keep(binary(BinaryOp.ADD, part, bit(carry, width_of(part))))
        again = FALSE if carry == FALSE else binary(BinaryOp.LT, total, part)
        carry = temps.keep(disjunction(over, again))
        result.append(total)
    return result, carry


def subtract(left: Limbs, right: Limbs, temps: Temporaries) -> tuple[Limbs, Expr]:
    """Return the difference and the borrow out of it."""
    result: Limbs = []
    borrow: Expr = FALSE
    for a, b in zip(left, right, strict=True):
        a, b = temps.keep(a), temps.keep(b)
        part = temps.keep(binary(BinaryOp.SUB, a, b))
        under = binary(BinaryOp.LT, a, b)
        total = temps.keep(binary(BinaryOp.SUB, part, bit(borrow, width_of(part))))
        again = FALSE if borrow == FALSE else binary(BinaryOp.LT, part, total)
        borrow = temps.keep(disjunction(under, again))
        result.append(total)
    return result, borrow


def saturating_add(left: Limbs, right: Limbs, temps: Temporaries) -> Limbs:
    total, carry = add(left, right, temps)
    return [choose(carry, Const(ones(width_of(limb)), width_of(limb)), limb) for limb in total]


def saturating_subtract(left: Limbs, right: Limbs, temps: Temporaries) -> Limbs:
    total, borrow = subtract(left, right, temps)
    return [choose(borrow, zero(width_of(limb)), limb) for limb in total]


def saturating_signed(left: Limbs, right: Limbs, minus: bool, temps: Temporaries) -> Limbs:
    """Return the sum or difference of signed values, or the bound that it would pass."""
    left, right = [temps.keep(limb) for limb in left], [temps.keep(limb) for limb in right]
    total, _ = subtract(left, right, temps) if minus else add(left, right, temps)
    negative, other = temps.keep(sign_of(left)), sign_of(right)
    alike = BinaryOp.NE if minus else BinaryOp.EQ
    turned = binary(BinaryOp.NE, sign_of(total), negative)
    passed = temps.keep(conjunction(binary(alike, negative, other), turned))
    width = sum(width_of(limb) for limb in left)
    least, most = constant(1 << (width - 1), width), constant(ones(width - 1), width)
    bounds = [choose(negative, low, high) for low, high in zip(least, most, strict=True)]
    return [choose(passed, bound, limb) for bound, limb in zip(bounds, total, strict=True)]


def multiply(left: Limbs, right: Limbs, width: int, temps: Temporaries) -> Limbs:
    """Return the low `width` bits of the product, by digits of 32 bits."""
    count = (width + HALF - 1) // HALF
    one, other = (_digits(limbs, width, count, temps) for limbs in (left, right))
    result: list[Expr] = [zero(LIMB)] * count
    for i, digit in enumerate(one):
        carry: Expr = zero(LIMB)
        for j in range(count - i):
            product = binary(BinaryOp.MUL, digit, other[j])
            rest = binary(BinaryOp.ADD, result[i + j], carry)
            total = temps.keep(binary(BinaryOp.ADD, product, rest))
            result[i + j] = binary(BinaryOp.AND, total, Const(ones(HALF), LIMB))
            carry = binary(BinaryOp.LSHR, total, Const(HALF, 8))
    sizes = [min(HALF, width - index * HALF) for index in range(count)]
    pieces = [fold(Slice(digit, size - 1, 0)) for digit, size in zip(result, sizes, strict=True)]
    return regroup(pieces, width)


def _digits(limbs: Limbs, width: int, count: int, temps: Temporaries) -> list[Expr]:
    digits: list[Expr] = []
    for index in range(count):
        high = min(width, (index + 1) * HALF) - 1
        pieces = slice_limbs(limbs, high, index * HALF)
        digits.append(temps.keep(fold(Extend(_joined(pieces), LIMB))))
    return digits


def shift_constant(op: BinaryOp, limbs: Limbs, width: int, amount: int) -> Limbs:
    """Return the value shifted by a number that is known."""
    amount = min(amount, width)
    if op is BinaryOp.SHL:
        kept = slice_limbs(limbs, width - 1 - amount, 0) if amount < width else []
        return regroup([*constant(0, amount), *kept], width)
    kept = slice_limbs(limbs, width - 1, amount) if amount < width else []
    sign = sign_of(limbs) if op is BinaryOp.ASHR else FALSE
    fill = [choose(sign, Const(ones(part), part), zero(part)) for part in limb_widths_up(amount)]
    return regroup([*kept, *fill], width)


def shift(op: BinaryOp, limbs: Limbs, width: int, amount: Expr, temps: Temporaries) -> Limbs:
    """Return the value shifted by a number (of at most 64 bits) that is not known."""
    signed = op is BinaryOp.ASHR
    whole = extend_limbs(limbs, width, LIMB * len(limbs), signed)
    whole = [temps.keep(limb) for limb in whole]
    fill = temps.keep(choose(sign_of(whole), Const(ones(LIMB), LIMB), zero(LIMB)))
    if not signed:
        fill = zero(LIMB)
    amount = temps.keep(amount if width_of(amount) == LIMB else fold(Extend(amount, LIMB)))
    words = temps.keep(binary(BinaryOp.LSHR, amount, Const(6, 8)))
    bits = temps.keep(binary(BinaryOp.AND, amount, Const(LIMB - 1, LIMB)))
    if op is BinaryOp.SHL:
        down = _shifted(op, list(reversed(whole)), words, bits, fill, temps)
        result = list(reversed(down))
    else:
        result = _shifted(BinaryOp.LSHR, whole, words, bits, fill, temps)
    return regroup(slice_limbs(result, width - 1, 0), width)


def _shifted(
    op: BinaryOp, limbs: Limbs, words: Expr, bits: Expr, fill: Expr, temps: Temporaries
) -> Limbs:
    """Move each limb from `words` limbs further on, then take `bits` from its neighbour."""
    moved = [temps.keep(_picked(limbs, index, words, fill)) for index in range(len(limbs))]
    back = BinaryOp.LSHR if op is BinaryOp.SHL else BinaryOp.SHL
    left = temps.keep(binary(BinaryOp.SUB, Const(LIMB, LIMB), bits))
    result: Limbs = []
    for index, limb in enumerate(moved):
        following = moved[index + 1] if index + 1 < len(moved) else fill
        own = binary(op, limb, bits)
        result.append(binary(BinaryOp.OR, own, binary(back, following, left)))
    return result


def _picked(limbs: Limbs, index: int, words: Expr, fill: Expr) -> Expr:
    """Return limb `index + words`, or what fills up behind the last."""
    result = fill
    for step in reversed(range(len(limbs) - index)):
        here = binary(BinaryOp.EQ, words, Const(step, LIMB))
        result = choose(here, limbs[index + step], result)
    return result


# Comparisons


def equal(left: Limbs, right: Limbs) -> Expr:
    result: Expr = TRUE
    for a, b in zip(reversed(left), reversed(right), strict=True):
        result = conjunction(result, binary(BinaryOp.EQ, a, b))
    return result


def unequal(left: Limbs, right: Limbs) -> Expr:
    result: Expr = FALSE
    for a, b in zip(reversed(left), reversed(right), strict=True):
        result = disjunction(result, binary(BinaryOp.NE, a, b))
    return result


def less(op: BinaryOp, left: Limbs, right: Limbs, temps: Temporaries) -> Expr:
    """Return `left op right` for LT, LE and their signed forms."""
    signed = op in (BinaryOp.LT_SIGNED, BinaryOp.LE_SIGNED)
    orequal = op in (BinaryOp.LE, BinaryOp.LE_SIGNED)
    pairs = [(temps.keep(a), temps.keep(b)) for a, b in zip(left, right, strict=True)]
    result = binary(BinaryOp.LE if orequal else BinaryOp.LT, *pairs[0])
    for index, (a, b) in enumerate(pairs[1:], 1):
        top = signed and index == len(pairs) - 1
        above = binary(BinaryOp.LT_SIGNED if top else BinaryOp.LT, a, b)
        result = disjunction(above, conjunction(binary(BinaryOp.EQ, a, b), result))
    return result


def narrowed(limbs: Limbs, most: int) -> Expr:
    """Return an amount as at most 64 bits; every amount from `most` up may come out as `most`."""
    if len(limbs) == 1:
        return limbs[0]
    above: Expr = FALSE
    for limb in limbs[1:]:
        above = disjunction(above, binary(BinaryOp.NE, limb, zero(width_of(limb))))
    return choose(above, Const(most, LIMB), limbs[0])
