"""Packets that go through a v1model program once more: resubmit and recirculate.

The program tail-calls itself. What the next pass has to know waits in a cell of each CPU: how the
packet comes again, how often it did, and the metadata that a field list keeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import groupby

from p4xdp.description import scalar_size
from p4xdp.frontend import types as t
from p4xdp.frontend.elaborate import fold
from p4xdp.frontend.elaborate.externs.v1model import standard
from p4xdp.frontend.elaborate.trees import Record, Tree, leaves, underlying
from p4xdp.frontend.elaborate.walk import Again, Walk, storage_leaf
from p4xdp.midend import ir
from p4xdp.midend.ir import BinaryOp
from p4xdp.records import dataclass

CELL = "again"
RECIRCULATED, RESUBMITTED = 4, 6
"""What `instance_type` says of a packet that comes again."""

MOST_PASSES = 32
"""How often a packet goes through; the kernel makes 33 tail calls."""

KIND = ir.CellField("kind", 0, 8)
PASSES = ir.CellField("passes", 1, 8)


@dataclass(frozen=True, slots=True)
class Kept:
    """A word of a scalar of the metadata that some of the field lists in use keep.

    It has `width` bits, 64 at most, from bit `low` of the scalar on, and `offset` is in bytes.
    """

    var: ir.Var
    low: int
    width: int
    offset: int
    lists: tuple[int, ...]

    @property
    def size(self) -> int:
        return scalar_size(self.width)

    @property
    def name(self) -> str:
        whole = self.width == ir.stored_width(self.var.width)
        return self.var.name if whole else f"{self.var.name}.{self.low}"


def kept(again: Again, kind: t.Type, metadata: Tree) -> list[Kept]:
    """Return what the lists in use keep of the metadata."""
    found: list[Kept] = []
    offset = scalar_size(KIND.width) + scalar_size(PASSES.width)
    for var, lists in _listed(kind, metadata, tuple(sorted(again.lists))):
        width = ir.stored_width(var.width)
        for low in reversed(range(0, width, ir.LIMB)):
            one = Kept(var, low, min(ir.LIMB, width - low), offset, lists)
            found.append(one)
            offset += one.size
    return found


def _listed(
    kind: t.Type, tree: Tree, lists: tuple[int, ...]
) -> Iterator[tuple[ir.Var, tuple[int, ...]]]:
    """Yield the scalars that some of `lists` keep, with those that do; a field inside of one that
    is kept is kept."""
    declared = underlying(kind)
    if not (isinstance(declared, t.Struct) and isinstance(tree, Record)):
        return
    for field, (_, part) in zip(declared.fields, tree.fields, strict=True):
        named = tuple(index for index in lists if field.in_field_list(index))
        if named:
            yield from ((storage_leaf(leaf), named) for leaf in leaves(part))
        yield from _listed(field.type, part, tuple(i for i in lists if i not in named))


def register(found: list[Kept]) -> ir.Register:
    """Return the cell."""
    fields = [ir.CellField(k.name, k.offset, k.width) for k in found]
    return ir.Register(CELL, 1, (KIND, PASSES, *fields), is_per_cpu=True)


def resume(walk: Walk, again: Again, found: list[Kept]) -> Iterator[ir.Stmt]:
    """Yield what the program starts with: what the pass before has left."""
    kind = ir.Var(walk.names.unique("comes_again"), 8)
    yield _read(kind, KIND.offset, 1)
    body: list[ir.Stmt] = [
        ir.Assign(standard(walk, "instance_type"), fold.resize(kind, 32)),
        _read(again.passes, PASSES.offset, 1),
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


def restart(again: Again, wanted: ir.Var, kind: int, found: list[Kept]) -> ir.Stmt:
    """Return what ends the pass where `wanted` says that the packet comes again."""
    body: list[ir.Stmt] = []
    for one in found:
        value = fold.to_bits(one.var)
        if one.width < ir.width_of(value):
            value = fold.slice_of(value, one.low + one.width - 1, one.low)
        keeps: ir.Expr = ir.FALSE
        for index in one.lists:
            named = fold.equal(wanted, ir.Const(index + 1, wanted.width))
            keeps = fold.disjunction(keeps, named)
        value = fold.mux(keeps, value, ir.Const(0, ir.width_of(value)))
        body.append(_write(value, one.offset, one.size))
    more = fold.binary(BinaryOp.ADD, again.passes, ir.Const(1, 8))
    body += [
        _write(more, PASSES.offset, 1),
        _write(ir.Const(kind, 8), KIND.offset, 1),
        ir.Effect("again", None, ()),
        _write(ir.Const(0, 8), KIND.offset, 1),
    ]
    few = fold.binary(BinaryOp.LT, again.passes, ir.Const(MOST_PASSES - 1, 8))
    asked = fold.negation(fold.equal(wanted, ir.Const(0, wanted.width)))
    dropped = ir.Finish(ir.Const(ir.XDP_DROP, 32))
    return ir.If(asked, (ir.If(few, tuple(body)), dropped))


def _read(var: ir.Var, offset: int, size: int) -> ir.Stmt:
    return ir.Effect("register_read", CELL, (*_place(offset, size),), var)


def _write(value: ir.Expr, offset: int, size: int) -> ir.Stmt:
    return ir.Effect("register_write", CELL, (*_place(offset, size), value))


def _place(offset: int, size: int) -> tuple[ir.Expr, ...]:
    return ir.Const(0, 32), ir.Const(offset, 32), ir.Const(size, 32)
