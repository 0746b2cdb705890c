"""Variables that hold bytes as the packet has them, because nobody computes with them.

    dst = p4xdp_load48(entry->u.pop.next_hop);          dst = p4xdp_take48(entry->u.pop.next_hop);
    ...                                           ->    ...
    p4xdp_store48(data, dst);                           p4xdp_put48(data, dst);

What is only read from memory, kept, combined bit by bit, compared for equality and written to
memory again needs no swap on the way in and none on the way out. In: a narrow program. Out: the
names of such variables, and the C of expressions over them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from p4xdp.backend_c import access, keys, scalars
from p4xdp.backend_c.flow import used_expressions
from p4xdp.backend_c.model import Table
from p4xdp.midend import ir
from p4xdp.midend.ir import BinaryOp
from p4xdp.midend.rewrite import operands, targets, variables, walk
from p4xdp.records import dataclass, field

SIZES = (2, 3, 4, 6, 8)
"""Bytes of what there is a pair of functions for in p4xdp.h."""

BITWISE = (BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR)
EQUALITY = (BinaryOp.EQ, BinaryOp.NE)


def size_of(width: int) -> int:
    """Return the bytes of a number of `width` bits."""
    return (width + 7) // 8


def moved_variables(
    program: ir.Program,
    bodies: Iterable[ir.Body],
    tables: Mapping[str, Table],
    direct: Collection[str],
) -> frozenset[str]:
    """Return the variables that only move in the bodies, which are all that becomes C; `direct`
    are those that there are not in C."""
    found = _Groups(tables, direct)
    given = [program.input_port, program.verdict, program.port]
    for var in given:
        if var is not None:
            found.compute(var)
    for body in bodies:
        for stmt in walk(body):
            found.stmt(stmt)
    return found.moved()


@dataclass(slots=True)
class _Groups:
    """Variables that must all hold bytes if one of them does, given by `leaders`; `computed` are
    those that somebody computes with, `kept` those that come from memory."""

    tables: Mapping[str, Table]
    direct: Collection[str]
    leaders: dict[str, str] = field(default_factory=dict)
    computed: set[str] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)

    def moved(self) -> frozenset[str]:
        numbers = {self.leader(name) for name in self.computed}
        useful = {self.leader(name) for name in self.taken} - numbers
        return frozenset(
            name for name in self.leaders if self.leader(name) in useful and name not in self.direct
        )

    def leader(self, name: str) -> str:
        path = []
        while (above := self.leaders.setdefault(name, name)) != name:
            path.append(name)
            name = above
        for below in path:
            self.leaders[below] = name
        return name

    def join(self, names: list[str]) -> None:
        for name in names[1:]:
            self.leaders[self.leader(name)] = self.leader(names[0])

    def compute(self, var: ir.Var) -> None:
        self.computed.add(var.name)

    # Statements

    def stmt(self, stmt: ir.Stmt) -> None:
        match stmt:
            case ir.Assign(target=target, value=value):
                self.assign(target, value)
            case ir.Store(value=value, width=width) if width == ir.width_of(
                value
            ) and self.is_bytes(value):
                self.join([var.name for var in self.own(value)])
            case ir.Apply():
                self.apply(stmt)
            case _:
                for expr in used_expressions(stmt):
                    self.number(expr)
                for var in targets(stmt):
                    self.compute(var)

    def assign(self, target: ir.Var, value: ir.Expr) -> None:
        if not self.is_bytes(target) or not self.is_bytes(value):
            self.compute(target)
            self.number(value)
            return
        self.join([target.name, *(var.name for var in self.own(value))])
        if any(self.is_memory(part) for part in _leaves(value)):
            self.taken.add(target.name)

    def apply(self, stmt: ir.Apply) -> None:
        table = self.tables[stmt.table]
        for key, scalar in zip(stmt.keys, table.keys, strict=True):
            whole = table.has_map and access.of(table).by_words
            pieces = scalars.pieces(scalar)
            for limb, (byte, size, _) in zip(ir.limbs_of(key), pieces, strict=True):
                at = (scalar.offset + byte) % keys.WORD
                fits = isinstance(limb, ir.Var) and size_of(limb.width) == size
                if not (whole and fits and at + size <= keys.WORD and self.is_bytes(limb)):
                    self.number(limb)
        for var in targets(stmt):
            self.compute(var)
        for arm in stmt.arms:
            for var in arm.data:
                (self.taken.add if self.is_bytes(var) else self.computed.add)(var.name)

    def is_memory(self, leaf: ir.Expr) -> bool:
        return isinstance(leaf, ir.Load) or (isinstance(leaf, ir.Var) and leaf.name in self.direct)

    # Expressions

    def own(self, expr: ir.Expr) -> list[ir.Var]:
        """Return the variables of an expression that are variables in C."""
        return [var for var in variables(expr) if var.name not in self.direct]

    def number(self, expr: ir.Expr) -> None:
        """Note that somebody computes with the value of an expression."""
        if isinstance(expr, ir.Var):
            self.compute(expr)
        elif is_comparison(expr) and all(self.is_bytes(side) for side in operands(expr)):
            self.join([var.name for var in self.own(expr)])
        else:
            for inner in operands(expr):
                self.number(inner)

    def is_bytes(self, expr: ir.Expr) -> bool:
        """Tell whether an expression can be had as bytes."""
        if size_of(ir.width_of(expr)) not in SIZES:
            return False
        match expr:
            case ir.Binary(op=op, left=left, right=right) if op in BITWISE:
                return self.is_bytes(left) and self.is_bytes(right)
            case ir.Load(offset=offset, width=width):
                return (offset + width) % 8 == 0
            case _:
                return isinstance(expr, ir.Var | ir.Const)


def is_comparison(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Binary) and expr.op in EQUALITY


def _leaves(expr: ir.Expr) -> Iterator[ir.Expr]:
    below = operands(expr)
    if not below:
        yield expr
    for inner in below:
        yield from _leaves(inner)
