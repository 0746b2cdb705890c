"""Packets that go through a program once more.

The program tail-calls itself. What the next pass has to know waits in a cell of each CPU: how the
packet comes again, how often it did, and the metadata that are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from itertools import groupby

from p4xdp.description import scalar_size
from p4xdp.frontend.elaborate import fold
from p4xdp.frontend.elaborate.walk import Walk
from p4xdp.midend import ir
from p4xdp.midend.ir import BinaryOp
from p4xdp.records import dataclass

CELL = "again"

MOST_PASSES = 32
"""How often a packet goes through; the kernel makes 33 tail calls."""

KIND = ir.CellField("kind", 0, 8)
PASSES = ir.CellField("passes", 1, 8)


@dataclass(frozen=True, slots=True)
class Kept:
    """A word of a scalar that is kept, for the reason `why`.

    It has `width` bits, 64 at most, from bit `low` of the scalar on, and `offset` is in bytes.
    """

    var: ir.Var
    low: int
    width: int
    offset: int
    why: tuple[int, ...]

    @property
    def size(self) -> int:
        return scalar_size(self.width)

    @property
    def name(self) -> str:
        whole = self.width == ir.stored_width(self.var.width)
        return self.var.name if whole else f"{self.var.name}.{self.low}"


def kept(scalars: Iterable[tuple[ir.Var, tuple[int, ...]]]) -> list[Kept]:
    """Return the words of scalars, each with the reasons to keep it."""
    found: list[Kept] = []
    offset = scalar_size(KIND.width) + scalar_size(PASSES.width)
    for var, why in scalars:
        width = ir.stored_width(var.width)
        for low in reversed(range(0, width, ir.LIMB)):
            one = Kept(var, low, min(ir.LIMB, width - low), offset, why)
            found.append(one)
            offset += one.size
    return found


def register(found: list[Kept]) -> ir.Register:
    """Return the cell."""
    fields = [ir.CellField(k.name, k.offset, k.width) for k in found]
    return ir.Register(CELL, 1, (KIND, PASSES, *fields), is_per_cpu=True)


def resume(walk: Walk, passes: ir.Var, arrival: ir.Var, found: list[Kept]) -> Iterator[ir.Stmt]:
    """Yield what the program starts with: what the pass before has left, if there was one.

    `arrival` then holds the kind by which the packet comes again.
    """
    kind = ir.Var(walk.names.unique("comes_again"), 8)
    yield _read(kind, KIND.offset, 1)
    body: list[ir.Stmt] = [
        ir.Assign(arrival, fold.resize(kind, arrival.width)),
        _read(passes, PASSES.offset, 1),
        _write(ir.Const(0, 8), KIND.offset, 1),
    ]
    for var, words in groupby(found, lambda one: one.var):
        stored = {one: ir.Var(walk.names.unique("kept"), one.width) for one in words}
        body += (_read(word, one.offset, one.size) for one, word in stored.items())
        parts: Iterator[ir.Expr] = iter(stored.values())
        value = reduce(ir.Concat, parts)
        body.append(
            ir.Assign(var, fold.unary(ir.UnaryOp.TO_BOOL, value) if var.width == ir.BOOL else value)
        )
    yield ir.If(fold.negation(fold.equal(kind, ir.Const(0, 8))), tuple(body))


def restart(
    passes: ir.Var,
    asked: ir.Expr,
    kind: int,
    found: list[Kept],
    keeps: Callable[[Kept], ir.Expr],
    cannot: ir.Expr = ir.FALSE,
) -> ir.Stmt:
    """Return what ends the pass where `asked` says that the packet comes again; a word is kept
    where `keeps` says so, else it is 0. A packet that `cannot` come again is aborted."""
    body: list[ir.Stmt] = []
    for one in found:
        value = fold.to_bits(one.var)
        if one.width < ir.width_of(value):
            value = fold.slice_of(value, one.low + one.width - 1, one.low)
        value = fold.mux(keeps(one), value, ir.Const(0, ir.width_of(value)))
        body.append(_write(value, one.offset, one.size))
    more = fold.binary(BinaryOp.ADD, passes, ir.Const(1, 8))
    body += [
        _write(more, PASSES.offset, 1),
        _write(ir.Const(kind, 8), KIND.offset, 1),
        ir.Effect("again", None, ()),
        _write(ir.Const(0, 8), KIND.offset, 1),
    ]
    few = fold.binary(BinaryOp.LT, passes, ir.Const(MOST_PASSES - 1, 8))
    dropped = ir.Finish(ir.Const(ir.XDP_DROP, 32))
    aborted = ir.If(cannot, (ir.Finish(ir.Const(ir.XDP_ABORTED, 32)),))
    return ir.If(asked, (aborted, ir.If(few, tuple(body)), dropped))


def _read(var: ir.Var, offset: int, size: int) -> ir.Stmt:
    return ir.Effect("register_read", CELL, (*_place(offset, size),), var)


def _write(value: ir.Expr, offset: int, size: int) -> ir.Stmt:
    return ir.Effect("register_write", CELL, (*_place(offset, size), value))


def _place(offset: int, size: int) -> tuple[ir.Expr, ...]:
    return ir.Const(0, 32), ir.Const(offset, 32), ir.Const(size, 32)
