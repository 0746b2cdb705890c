"""Keep a small header that is only ever copied as a whole in one variable.

    hd.mpls[1].label = hd.mpls[2].label;
    hd.mpls[1].bottom = hd.mpls[2].bottom;    ->    hd.mpls[1].$all = hd.mpls[2].$all;
    hd.mpls[1].ttl = hd.mpls[2].ttl;

So it goes with stacks that shift: a copy, a load and a store for each header instead of one for
each field. A field that is read is a slice of the whole. Headers without such copies, and those of
which a field is set alone or computed, keep a variable for each field.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from p4xdp.midend.fold import fold
from p4xdp.midend.ir import (
    BOOL,
    LIMB,
    Apply,
    Assign,
    Body,
    Concat,
    Const,
    Expr,
    Header,
    HeaderField,
    Program,
    Slice,
    Stmt,
    Unary,
    UnaryOp,
    Var,
    stored_width,
    width_of,
)
from p4xdp.midend.rewrite import (
    bodies,
    map_bodies,
    map_program,
    map_program_expressions,
    program_bodies,
    rewrite,
    targets,
    variables,
)
from p4xdp.records import dataclass, field, replace

Run = tuple[Assign, ...]
"""Assignments that follow each other."""


def pack_headers(program: Program) -> Program:
    """Return the flat program with fewer variables."""
    small = {
        item.var.name: header
        for header in program.headers
        if header.width <= LIMB and len(header.fields) > 1 and header.size is None
        for item in header.fields
    }
    found = _Found(small)
    for body in program_bodies(program):
        found.body(body)
    packed = found.packed()
    if not packed:
        return program
    pack = _Pack({name: header for name, header in small.items() if header.name in packed})
    changed = map_program_expressions(map_program(program, pack.body), pack.read)
    headers = tuple(
        _whole(header) if header.name in packed else header for header in program.headers
    )
    return replace(changed, headers=headers)


def whole_variable(header: Header) -> Var:
    """Return the variable that holds the fields of a packed header."""
    return Var(f"{header.name}.$all", header.width)


def _whole(header: Header) -> Header:
    return replace(header, fields=(HeaderField("$all", whole_variable(header), 0),))


def _runs(body: Body) -> Iterator[Run | Stmt]:
    """Yield the body's statements, neighbouring assignments together."""
    run: list[Assign] = []
    for stmt in body:
        if isinstance(stmt, Assign):
            run.append(stmt)
            continue
        if run:
            yield tuple(run)
            run = []
        yield stmt
    if run:
        yield tuple(run)


def _copied(run: Run, header: Header) -> list[Assign]:
    names = {item.var.name for item in header.fields}
    return [stmt for stmt in run if stmt.target.name in names]


@dataclass(slots=True)
class _Found:
    """What is known of the small headers, given by their fields."""

    small: dict[str, Header]
    alone: set[str] = field(default_factory=set)
    sources: dict[str, set[str]] = field(default_factory=dict)

    def packed(self) -> set[str]:
        """Return the headers that are copied as a whole, and those that they are copies of."""
        copied = self.sources.keys() - self.alone
        return copied.union(*(self.sources[name] for name in copied)) - self.alone

    def body(self, body: Body) -> None:
        for part in _runs(body):
            if isinstance(part, tuple):
                self.run(part)
                continue
            others = [*targets(part)]
            if isinstance(part, Apply):
                others += [var for arm in part.arms for var in arm.data]
            self.alone.update(self.small[v.name].name for v in others if v.name in self.small)
            for inner in bodies(part):
                self.body(inner)

    def run(self, run: Run) -> None:
        assigned = {
            self.small[stmt.target.name].name: self.small[stmt.target.name]
            for stmt in run
            if stmt.target.name in self.small
        }
        for name, header in assigned.items():
            copies = _copied(run, header)
            if not _is_whole(run, copies, header):
                self.alone.add(name)
                continue
            source = self.source(copies, header)
            if source is not None:
                self.sources.setdefault(name, set()).add(source)
            elif not all(isinstance(stmt.value, Const) for stmt in copies):
                self.alone.add(name)

    def source(self, copies: list[Assign], header: Header) -> str | None:
        """Return the header of the same layout that all fields come from."""
        values = {stmt.target.name: stmt.value for stmt in copies}
        first = values[header.fields[0].var.name]
        other = self.small.get(first.name) if isinstance(first, Var) else None
        if other is None or len(other.fields) != len(header.fields):
            return None
        pairs = zip(header.fields, other.fields, strict=True)
        same = all(values[own.var.name] == theirs.var for own, theirs in pairs)
        return other.name if same else None


def _is_whole(run: Run, copies: list[Assign], header: Header) -> bool:
    """Tell whether the run sets each field once and might as well set all where it sets the last.

    Between the first and the last, nothing may read a field or change what a field is set to.
    """
    if len(copies) != len(header.fields) or len({s.target.name for s in copies}) != len(copies):
        return False
    first = next(i for i, stmt in enumerate(run) if stmt is copies[0])
    last = next(i for i, stmt in enumerate(run) if stmt is copies[-1])
    own = {stmt.target.name for stmt in copies}
    needed: set[str] = set()
    for stmt in run[first : last + 1]:
        names = {var.name for var in variables(stmt.value)}
        if names & own and stmt is not copies[0]:
            return False
        if stmt.target.name in own:
            needed |= names
        elif stmt.target.name in needed:
            return False
    return True


@dataclass(slots=True)
class _Pack:
    """Puts whole headers in the place of their fields."""

    headers: dict[str, Header]

    def body(self, body: Body) -> Body:
        new: list[Stmt] = []
        for part in _runs(body):
            if isinstance(part, tuple):
                new += self.run(part)
            else:
                new.append(map_bodies(part, self.body))
        return tuple(new)

    def run(self, run: Run) -> Iterator[Stmt]:
        values: dict[str, Expr] = {}
        for stmt in run:
            header = self.headers.get(stmt.target.name)
            if header is None:
                yield stmt
                continue
            values[stmt.target.name] = stmt.value
            if all(item.var.name in values for item in header.fields):
                parts = [_bits(values.pop(item.var.name)) for item in header.fields]
                yield Assign(whole_variable(header), reduce(Concat, parts), stmt.span)

    def read(self, expr: Expr) -> Expr:
        return rewrite(expr, self.node)

    def node(self, expr: Expr) -> Expr:
        header = self.headers.get(expr.name) if isinstance(expr, Var) else None
        return fold(expr) if header is None else _part(header, expr)


def _bits(value: Expr) -> Expr:
    return Unary(UnaryOp.TO_BITS, value) if width_of(value) == BOOL else value


def _part(header: Header, var: Expr) -> Expr:
    item = next(item for item in header.fields if item.var == var)
    high = header.width - 1 - item.offset
    part = Slice(whole_variable(header), high, high - stored_width(item.var.width) + 1)
    return Unary(UnaryOp.TO_BOOL, part) if item.var.width == BOOL else part
