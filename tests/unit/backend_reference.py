"""What an IR expression is worth, straight from the IR's own words: the judge of generated C."""

from __future__ import annotations

import random
from collections.abc import Mapping

from p4xdp.midend import ir
from p4xdp.midend.ir import BinaryOp, UnaryOp


def bits(width: int) -> int:
    return width or 1


def wrap(value: int, width: int) -> int:
    return value & ((1 << bits(width)) - 1)


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def evaluate(expr: ir.Expr, values: Mapping[str, int], packet: bytes) -> int:
    width = ir.width_of(expr)
    match expr:
        case ir.Const(value=value):
            return value
        case ir.Var(name=name):
            return values[name]
        case ir.Load(offset=offset):
            return wrap(int.from_bytes(packet, "big") >> (len(packet) * 8 - offset - width), width)
        case ir.Unary(op=op, operand=operand):
            return unary(op, evaluate(operand, values, packet), ir.width_of(operand))
        case ir.Binary(op=op, left=left, right=right):
            pair = (evaluate(left, values, packet), evaluate(right, values, packet))
            return int(binary(op, *pair, ir.width_of(left)))
        case ir.Slice(base=base, low=low):
            return wrap(evaluate(base, values, packet) >> low, width)
        case ir.Concat(left=left, right=right):
            low = evaluate(right, values, packet)
            return evaluate(left, values, packet) << ir.width_of(right) | low
        case ir.Extend(base=base, signed=is_signed):
            value = evaluate(base, values, packet)
            return wrap(signed(value, ir.width_of(base)), width) if is_signed else value
        case ir.Mux(condition=condition, then=then, otherwise=otherwise):
            taken = then if evaluate(condition, values, packet) else otherwise
            return evaluate(taken, values, packet)
    raise AssertionError(expr)


def unary(op: UnaryOp, value: int, width: int) -> int:
    match op:
        case UnaryOp.NOT:
            return wrap(~value, width)
        case UnaryOp.NEG:
            return wrap(-value, width)
        case UnaryOp.LNOT:
            return 1 - value
    return value


def binary(op: BinaryOp, a: int, b: int, width: int) -> int:
    sa, sb = (signed(a, width), signed(b, width)) if width else (a, b)
    least, most = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if width else (0, 1)
    top = (1 << bits(width)) - 1
    results = {
        BinaryOp.ADD: lambda: wrap(a + b, width),
        BinaryOp.SUB: lambda: wrap(a - b, width),
        BinaryOp.MUL: lambda: wrap(a * b, width),
        BinaryOp.DIV: lambda: a // b if b else 0,
        BinaryOp.MOD: lambda: a % b if b else 0,
        BinaryOp.AND: lambda: a & b,
        BinaryOp.OR: lambda: a | b,
        BinaryOp.XOR: lambda: a ^ b,
        BinaryOp.SHL: lambda: wrap(a << b, width) if b < width else 0,
        BinaryOp.LSHR: lambda: a >> b if b < width else 0,
        BinaryOp.ASHR: lambda: wrap(sa >> min(b, width), width),
        BinaryOp.SAT_ADD: lambda: min(a + b, top),
        BinaryOp.SAT_SUB: lambda: max(a - b, 0),
        BinaryOp.SAT_ADD_SIGNED: lambda: wrap(max(least, min(most, sa + sb)), width),
        BinaryOp.SAT_SUB_SIGNED: lambda: wrap(max(least, min(most, sa - sb)), width),
        BinaryOp.EQ: lambda: a == b,
        BinaryOp.NE: lambda: a != b,
        BinaryOp.LT: lambda: a < b,
        BinaryOp.LE: lambda: a <= b,
        BinaryOp.LT_SIGNED: lambda: sa < sb,
        BinaryOp.LE_SIGNED: lambda: sa <= sb,
        BinaryOp.LAND: lambda: a and b,
        BinaryOp.LOR: lambda: a or b,
    }
    return results[op]()


# Random expressions

ARITHMETIC = [
    op
    for op in BinaryOp
    if op not in ir.COMPARISONS and op not in (BinaryOp.SHL, BinaryOp.LSHR, BinaryOp.ASHR)
]
SHIFTS = [BinaryOp.SHL, BinaryOp.LSHR, BinaryOp.ASHR]
ORDERS = [op for op in ir.COMPARISONS if op not in (BinaryOp.LAND, BinaryOp.LOR)]
ORDERS.sort(key=lambda op: op.value)
WIDTHS = (1, 2, 3, 7, 8, 9, 13, 16, 17, 24, 31, 32, 33, 40, 48, 56, 63, 64)
PACKET_BITS = 30 * 8


class Generator:
    """Expressions over variables `v<width>` and a packet of 30 bytes."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def width(self) -> int:
        return self.random.choice(WIDTHS)

    def value(self, width: int) -> int:
        top = (1 << bits(width)) - 1
        special = (0, 1, top, top >> 1, (top >> 1) + 1, self.random.randrange(top + 1))
        return min(self.random.choice(special), top)

    def leaf(self, width: int) -> ir.Expr:
        kind = self.random.randrange(4)
        if kind == 0:
            return ir.Const(self.value(width), width)
        if kind == 1 and width:
            return ir.Load("data", self.random.randrange(PACKET_BITS - width + 1), width)
        return ir.Var(f"v{width}", width)

    def expr(self, width: int, depth: int) -> ir.Expr:
        if depth == 0 or self.random.randrange(8) == 0:
            return self.leaf(width)
        if width == ir.BOOL:
            return self.truth(depth - 1)
        return self.number(width, depth - 1)

    def truth(self, depth: int) -> ir.Expr:
        choose = self.random.randrange(5)
        if choose == 0:
            return ir.Unary(UnaryOp.LNOT, self.expr(ir.BOOL, depth))
        if choose == 1:
            return ir.Unary(UnaryOp.TO_BOOL, self.expr(1, depth))
        if choose == 2:
            op = self.random.choice((BinaryOp.LAND, BinaryOp.LOR))
            return ir.Binary(op, self.expr(ir.BOOL, depth), self.expr(ir.BOOL, depth))
        width = self.width()
        op = self.random.choice(ORDERS)
        return ir.Binary(op, self.expr(width, depth), self.expr(width, depth))

    def number(self, width: int, depth: int) -> ir.Expr:
        match self.random.randrange(9):
            case 0:
                return ir.Unary(
                    self.random.choice((UnaryOp.NOT, UnaryOp.NEG)), self.expr(width, depth)
                )
            case 1:
                amount = self.expr(self.width(), depth)
                return ir.Binary(self.random.choice(SHIFTS), self.expr(width, depth), amount)
            case 2:
                low = self.random.randrange(65 - width)
                base = self.random.choice([w for w in WIDTHS if w >= width + low])
                return ir.Slice(self.expr(base, depth), low + width - 1, low)
            case 3 if width > 1:
                left = self.random.randrange(1, width)
                return ir.Concat(self.expr(left, 0), self.expr(width - left, 0))
            case 4 if width > 1:
                base = self.random.choice([w for w in WIDTHS if w < width])
                return ir.Extend(self.expr(base, depth), width, self.random.random() < 0.5)
            case 5:
                test = self.expr(ir.BOOL, depth)
                return ir.Mux(test, self.expr(width, depth), self.expr(width, depth))
            case 6 if width == 1:
                return ir.Unary(UnaryOp.TO_BITS, self.expr(ir.BOOL, depth))
        op = self.random.choice(ARITHMETIC)
        return ir.Binary(op, self.expr(width, depth), self.expr(width, depth))
