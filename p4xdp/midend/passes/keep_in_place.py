"""Take an element off a stack where it lies, instead of copying all others one place down.

    hd.mpls[0] = hd.mpls[1];                  hd.mpls[0].valid = false;
    hd.mpls[1] = hd.mpls[2];                  hd.mpls[1].ttl = ttl;
    hd.mpls[2].valid = false;          ->
    hd.mpls[0].ttl = ttl;

What was called `hd.mpls[0]` from there on is now `hd.mpls[1]`. As the elements are emitted one
behind the other, the packet comes out the same: an element that is not valid leaves no gap. So an
element that stays is neither read nor written, and only what stands in front of it moves. It goes
like this where nothing behind the branch with the copies asks which element is which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from p4xdp.midend.ir import (
    FALSE,
    Apply,
    Assign,
    Body,
    Emit,
    Expr,
    Header,
    Pipeline,
    Program,
    Stmt,
    Var,
)
from p4xdp.midend.names import contents
from p4xdp.midend.rewrite import (
    AnyPipeline,
    bodies,
    expressions,
    map_expressions,
    map_statements,
    rewrite,
    same,
    targets,
    variables,
    walk,
    with_bodies,
)
from p4xdp.records import dataclass, replace


def keep_in_place(program: Program) -> Program:
    """Return the flat program with fewer copies of headers."""
    first = _kept_in_place(program, program.headers)
    further = tuple(_kept_in_place(one, program.headers) for one in program.further)
    return first if same(further, program.further) else replace(first, further=further)


def _kept_in_place(one: AnyPipeline, headers: tuple[Header, ...]) -> AnyPipeline:
    emitted = _emitted(one, headers)
    if not emitted.number:
        return one
    code = (*walk(one.deparser), *walk(one.departure))
    rest = [stmt for stmt in code if not isinstance(stmt, Emit)]
    control, _ = emitted.body(one.control, emitted.mentioned(rest))
    return one if control is one.control else replace(one, control=control)


def _emitted(one: Program | Pipeline, headers: tuple[Header, ...]) -> _Emitted:
    by_name = {header.name: header for header in headers}
    emissions = Counter(s.header for s in walk(one.deparser) if isinstance(s, Emit))
    parts = Counter(header.valid.name for header in headers)
    set_otherwise = _set_otherwise(one.control)

    def emitted(stmt: Stmt) -> Header | None:
        header = by_name[stmt.header] if isinstance(stmt, Emit) else None
        if header is None or header.size or emissions[header.name] > 1:
            return None
        if parts[header.valid.name] > 1 or any(v.name in set_otherwise for v in _all(header)):
            return None
        return header

    return _Emitted(tuple(emitted(stmt) for stmt in one.deparser))


def _set_otherwise(body: Body) -> set[str]:
    """Return the names of variables that something else than an assignment sets."""
    names: set[str] = set()
    for stmt in walk(body):
        if not isinstance(stmt, Assign):
            names.update(var.name for var in targets(stmt))
        if isinstance(stmt, Apply):
            names.update(var.name for arm in stmt.arms for var in arm.data)
    return names


def _all(header: Header) -> list[Var]:
    return [header.valid, *contents(header)]


@dataclass(frozen=True, slots=True)
class _Shift:
    """The statements `first` to `end` (exclusive) of a body move the headers `low` to `high`, by
    their numbers, down by `by` places; the last `by` of them become invalid."""

    first: int
    end: int
    low: int
    high: int
    by: int

    @property
    def all(self) -> int:
        return _bits(self.low, self.high)

    @property
    def left(self) -> int:
        """The headers that are invalid behind it."""
        return _bits(self.high - self.by + 1, self.high)

    def moved(self, headers: int) -> int:
        """Return where the headers of a set are found when they are not moved."""
        return headers & ~self.all | (headers & self.all) << self.by


def _bits(low: int, high: int) -> int:
    return (1 << high + 1) - (1 << low)


class _Emitted:
    """The headers in the order of their emission, each once and in any case; None for what else
    the deparser does. Sets of them are numbers with a bit for each."""

    def __init__(self, headers: tuple[Header | None, ...]) -> None:
        alike = Counter(header.type_name for header in headers if header)
        self.headers = headers
        self.number = {
            var.name: number
            for number, header in enumerate(headers)
            if header and alike[header.type_name] > 1
            for var in _all(header)
        }

    def mentioned(self, stmts: Iterable[Stmt]) -> int:
        """Return the headers that the statements themselves read or set."""
        found = 0
        for stmt in stmts:
            read = [var for expr in expressions(stmt) for var in variables(expr)]
            for var in (*read, *targets(stmt)):
                if var.name in self.number:
                    found |= 1 << self.number[var.name]
        return found

    # The walk, against the order of execution

    def body(self, body: Body, after: int) -> tuple[Body, int]:
        """Return the body and the headers mentioned in it, given those mentioned behind it."""
        shifts = {shift.end - 1: shift for shift in self.shifts(body)}
        new: list[Stmt] = []
        found = 0
        index = len(body) - 1
        while index >= 0:
            shift = shifts.get(index)
            if shift is None:
                stmt, inside = self.stmt(body[index], after | found)
                new.append(stmt)
                found |= inside
                index -= 1
                continue
            if after & shift.all or found & shift.left:
                new += reversed(body[shift.first : shift.end])
                found |= shift.all
            else:
                rest = self.renamed(tuple(reversed(new)), shift)
                new = [*reversed(rest), *reversed(self.taken_off(shift))]
                found = shift.moved(found) | _bits(shift.low, shift.low + shift.by - 1)
            index = shift.first - 1
        new.reverse()
        return (body if same(new, body) else tuple(new)), found

    def stmt(self, stmt: Stmt, after: int) -> tuple[Stmt, int]:
        found = self.mentioned((stmt,))
        inner = bodies(stmt)
        if not inner:
            return stmt, found
        results = [self.body(body, after) for body in inner]
        for _, inside in results:
            found |= inside
        new = tuple(body for body, _ in results)
        return (stmt if same(new, inner) else with_bodies(stmt, new)), found

    def header(self, number: int) -> Header:
        header = self.headers[number]
        assert header is not None
        return header

    def taken_off(self, shift: _Shift) -> list[Stmt]:
        gone = range(shift.low, shift.low + shift.by)
        return [Assign(self.header(number).valid, FALSE) for number in gone]

    def renamed(self, rest: Body, shift: _Shift) -> Body:
        names: dict[str, Var] = {}
        for number in range(shift.low, shift.high - shift.by + 1):
            there = _all(self.header(number + shift.by))
            pairs = zip(_all(self.header(number)), there, strict=True)
            names.update((here.name, other) for here, other in pairs)

        def found(var: Var) -> Var:
            return names.get(var.name, var)

        def in_expression(expr: Expr) -> Expr:
            return rewrite(expr, lambda node: found(node) if isinstance(node, Var) else node)

        def in_statement(stmt: Stmt) -> Body:
            stmt = map_expressions(stmt, in_expression)
            if isinstance(stmt, Assign) and stmt.target.name in names:
                stmt = replace(stmt, target=found(stmt.target))
            return (stmt,)

        return map_statements(rest, in_statement)

    # What is a shift

    def shifts(self, body: Body) -> list[_Shift]:
        found: list[_Shift] = []
        index = 0
        while index < len(body):
            shift = self.shift(body, index)
            if shift:
                found.append(shift)
            index = shift.end if shift else index + 1
        return found

    def shift(self, body: Body, first: int) -> _Shift | None:
        """Return the shift that starts at a statement, if one does."""
        copy = self.copy(body, first)
        if copy is None:
            return None
        low, by, end = copy[0], copy[1] - copy[0], first
        number = low
        while copy is not None and copy == (number, number + by):
            number += 1
            end += len(_all(self.header(copy[0])))
            copy = self.copy(body, end)
        high = number + by - 1
        if by <= 0 or not all(self.is_alike(low, other) for other in range(low, high + 1)):
            return None
        for invalid in range(number, high + 1):
            wanted = (self.header(invalid).valid, FALSE)
            stmt = body[end] if end < len(body) else None
            if not isinstance(stmt, Assign) or (stmt.target, stmt.value) != wanted:
                return None
            end += 1
        return _Shift(first, end, low, high, by)

    def is_alike(self, low: int, other: int) -> bool:
        header = self.headers[other]
        return header is not None and header.type_name == self.header(low).type_name

    def copy(self, body: Body, first: int) -> tuple[int, int] | None:
        """Return the header that the statements from `first` on set, and that which it is made a
        copy of, if they do that and nothing else."""
        if first >= len(body) or not isinstance(stmt := body[first], Assign):
            return None
        if not isinstance(stmt.value, Var) or stmt.value.name not in self.number:
            return None
        if stmt.target.name not in self.number:
            return None
        to, source = self.number[stmt.target.name], self.number[stmt.value.name]
        if to == source or not self.is_alike(to, source):
            return None
        pairs = dict(zip(_all(self.header(to)), _all(self.header(source)), strict=True))
        for stmt in body[first : first + len(pairs)]:
            if not isinstance(stmt, Assign) or pairs.pop(stmt.target, None) != stmt.value:
                return None
        return None if pairs else (to, source)
