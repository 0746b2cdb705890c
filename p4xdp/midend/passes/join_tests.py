"""Test bits of the packet that lie close together at once.

    data[160+:3][0:0] == 0 && data[163+:13] == 0 && data[184+:8] == 17

becomes one comparison of the 4 bytes from byte 20 on, of which a mask leaves those bits. The same
holds for `!=` between `||`. Only what is surely in the packet is loaded in addition.
"""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.midend.coverage import UNKNOWN, Covered, map_covered
from p4xdp.midend.fold import fold, ones
from p4xdp.midend.ir import Binary, BinaryOp, Const, Expr, Load, Program, Stmt
from p4xdp.midend.rewrite import map_expressions, map_operands
from p4xdp.records import dataclass, replace

LARGEST = 4
"""Bytes that one instruction compares with a constant."""

CHAINS = {BinaryOp.LAND: BinaryOp.EQ, BinaryOp.LOR: BinaryOp.NE}


def join_tests(program: Program) -> Program:
    """Return the narrow program with fewer tests."""
    return replace(program, body=map_covered(program.body, _joined))


@dataclass(frozen=True, slots=True)
class _Test:
    """The bits of `mask` in the `size` bytes from byte `first` on behind a pointer are (or, between
    `||`, are not all) those of `value`; both are numbers with the first byte the highest."""

    pointer: str
    first: int
    size: int
    mask: int
    value: int

    @property
    def end(self) -> int:
        return self.first + self.size

    def over(self, first: int, size: int) -> _Test:
        """Return the same test over more bytes."""
        shift = (first + size - self.end) * 8
        return replace(
            self, first=first, size=size, mask=self.mask << shift, value=self.value << shift
        )


def _joined(stmt: Stmt, covered: Covered) -> Stmt:
    def join(expr: Expr) -> Expr:
        expr = map_operands(expr, join)
        if isinstance(expr, Binary) and expr.op in CHAINS:
            return _join_chain(expr, covered)
        return expr

    return map_expressions(stmt, join)


def _join_chain(expr: Binary, covered: Covered) -> Expr:
    links = list(_links(expr, expr.op))
    found: list[Expr | _Test] = []
    for link in links:
        test = _test(link, CHAINS[expr.op])
        if test is None or covered.get(test.pointer, UNKNOWN) < test.end:
            found.append(link)
            continue
        for index, earlier in enumerate(found):
            both = _both(earlier, test, covered) if isinstance(earlier, _Test) else None
            if both is not None:
                found[index] = both
                break
        else:
            found.append(test)
    if len(found) == len(links):
        return expr
    first, *rest = (_expression(one, CHAINS[expr.op]) for one in found)
    for one in rest:
        first = fold(Binary(expr.op, first, one))
    return first


def _links(expr: Expr, op: BinaryOp) -> Iterator[Expr]:
    if isinstance(expr, Binary) and expr.op is op:
        yield from _links(expr.left, op)
        yield from _links(expr.right, op)
    else:
        yield expr


def _test(expr: Expr, op: BinaryOp) -> _Test | None:
    match expr:
        case Binary(op=found, left=left, right=Const(value=value)) if found is op:
            pass
        case _:
            return None
    match left:
        case Load():
            return _of_load(left, ones(left.width), value)
        case Binary(op=BinaryOp.AND, left=Load() as load, right=Const(value=mask)):
            return None if value & ~mask else _of_load(load, mask, value)
        case _:
            return None


def _of_load(load: Load, mask: int, value: int) -> _Test | None:
    first, end = load.offset // 8, (load.offset + load.width + 7) // 8
    if end - first > LARGEST:
        return None
    shift = end * 8 - load.offset - load.width
    return _Test(load.pointer, first, end - first, mask << shift, value << shift)


def _both(one: _Test, other: _Test, covered: Covered) -> _Test | None:
    """Return a test of both, if one load takes the bytes; the bits must be different ones."""
    if one.pointer != other.pointer:
        return None
    first, end = min(one.first, other.first), max(one.end, other.end)
    size = 1 << (end - first - 1).bit_length()
    if size > LARGEST or covered.get(one.pointer, UNKNOWN) < first + size:
        return None
    one, other = one.over(first, size), other.over(first, size)
    if one.mask & other.mask:
        return None
    return replace(one, mask=one.mask | other.mask, value=one.value | other.value)


def _expression(test: Expr | _Test, op: BinaryOp) -> Expr:
    if not isinstance(test, _Test):
        return test
    width = test.size * 8
    low = (test.mask & -test.mask).bit_length() - 1
    bits = test.mask.bit_length() - low
    if test.mask >> low == ones(bits):
        offset = test.end * 8 - low - bits
        return Binary(op, Load(test.pointer, offset, bits), Const(test.value >> low, bits))
    load: Expr = Load(test.pointer, test.first * 8, width)
    return Binary(op, Binary(BinaryOp.AND, load, Const(test.mask, width)), Const(test.value, width))
