"""How often each assignment is read: what propagate may move, and what it may repeat.

In: a program. Out: the assignments that are read at most once on every path, by `id`, since equal
assignments differ in what follows them.
"""

from __future__ import annotations

from collections.abc import Iterable

from p4xdp.midend.ir import (
    ACCEPT,
    BOOL,
    Apply,
    Assign,
    Body,
    Check,
    Emit,
    Extract,
    Header,
    Leave,
    Program,
    Scope,
    State,
    Stmt,
    Store,
    Var,
    pipelines,
)
from p4xdp.midend.names import header_names
from p4xdp.midend.order import in_order
from p4xdp.midend.rewrite import bodies, ends, expressions, targets, variables
from p4xdp.records import dataclass, field


@dataclass(slots=True)
class Uses:
    """`once`: read at most once on every path; `repeated`: those of them read in several places.

    `truths` are the names of the truth values that the program sets.
    """

    once: set[int] = field(default_factory=set)
    repeated: set[int] = field(default_factory=set)
    truths: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Reads:
    """The variables that are read from here on: at all, twice on a path, in several branches.

    Sets of variables are masks with a bit for each: they are long and there are many of them.
    """

    some: int = 0
    many: int = 0
    apart: int = 0

    def copy(self) -> _Reads:
        return _Reads(self.some, self.many, self.apart)

    def read(self, names: Iterable[int]) -> None:
        for name in names:
            self.many |= self.some & name
            self.some |= name

    def kill(self, names: int) -> None:
        self.some &= ~names
        self.many &= ~names
        self.apart &= ~names


def count_uses(program: Program) -> Uses:
    """Return which assignments of the program are read once."""
    walk = _Walk({header.name: header for header in program.headers})
    walk.body(program.body, _Reads())
    after = _Reads()
    for var in (program.verdict, program.port):
        if var is not None:
            after.read(2 * [walk.bit(var.name)])
    for one in reversed(pipelines(program)):
        after = walk.body(one.deparser, walk.body(one.departure, after))
        after = _count_parser(walk, one.parser, walk.body(one.control, after))
    return Uses(walk.once - walk.more, walk.repeated, walk.truths)


def _count_parser(walk: _Walk, parser: tuple[State, ...], after: _Reads) -> _Reads:
    before = {ACCEPT: after}
    for state in reversed(in_order(parser)):
        targets = dict.fromkeys(case.target for case in state.transition.cases)
        reads = _join([before[name] for name in targets if name in before], _Reads())
        reads.read(walk.bit(v.name) for key in state.transition.keys for v in variables(key))
        before[state.name] = walk.body(state.body, reads)
    return before[parser[0].name] if parser else after


def _join(branches: list[_Reads], after: _Reads) -> _Reads:
    result = _Reads()
    for branch in branches:
        result.apart |= branch.apart | (result.some & branch.some & ~after.some)
        result.some |= branch.some
        result.many |= branch.many
    return result


@dataclass(slots=True)
class _Walk:
    """Against the order of execution; a statement that stands twice counts as read more often."""

    headers: dict[str, Header]
    once: set[int] = field(default_factory=set)
    more: set[int] = field(default_factory=set)
    repeated: set[int] = field(default_factory=set)
    truths: set[str] = field(default_factory=set)
    after: dict[str, _Reads] = field(default_factory=dict)
    bits: dict[str, int] = field(default_factory=dict)

    def bit(self, name: str) -> int:
        bit = self.bits.get(name)
        if bit is None:
            bit = self.bits[name] = 1 << len(self.bits)
        return bit

    def body(self, body: Body, after: _Reads) -> _Reads:
        reads = _Reads() if ends(body) else after.copy()
        for stmt in reversed(body):
            reads = self.stmt(stmt, reads)
        return reads

    def stmt(self, stmt: Stmt, reads: _Reads) -> _Reads:
        match stmt:
            case Assign(target=target):
                self.note(stmt, target.name, reads)
            case Leave(label=label):
                return self.after[label].copy()
            case Scope(label=label, body=body):
                self.after[label] = reads
                return self.body(body, reads)
            case Check() | Store():
                pass
            case Extract(header=header):
                self.truths.add(self.headers[header].valid.name)
                for name in header_names(self.headers[header]):
                    reads.kill(self.bit(name))
            case Emit(header=header):
                reads.read(map(self.bit, 2 * header_names(self.headers[header])))
            case Apply(arms=arms):
                inner = [self.body(arm.body, reads) for arm in arms]
                for arm, before in zip(arms, inner, strict=True):
                    for var in arm.data:
                        self.set(var, before)
                reads = _join(inner, reads)
            case _ if bodies(stmt):
                reads = _join([self.body(body, reads) for body in bodies(stmt)], reads)
            case _:
                pass
        return self.own(stmt, reads)

    def own(self, stmt: Stmt, reads: _Reads) -> _Reads:
        for var in targets(stmt):
            self.set(var, reads)
        for expr in expressions(stmt):
            reads.read([self.bit(var.name) for var in variables(expr)])
        return reads

    def set(self, var: Var, reads: _Reads) -> None:
        reads.kill(self.bit(var.name))
        if var.width == BOOL:
            self.truths.add(var.name)

    def note(self, stmt: Assign, name: str, reads: _Reads) -> None:
        bit = self.bit(name)
        (self.more if reads.many & bit else self.once).add(id(stmt))
        if reads.apart & bit:
            self.repeated.add(id(stmt))
