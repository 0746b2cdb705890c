"""How often each assignment is read: what propagate may move, and what it may repeat.

In: a program. Out: the assignments that are read at most once on every path, by `id`, since equal
assignments differ in what follows them.
"""

from __future__ import annotations

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
    Stmt,
    Store,
    Var,
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


@dataclass(frozen=True, slots=True)
class _Reads:
    """The variables that are read from here on: at all, twice on a path, in several branches."""

    some: set[str] = field(default_factory=set)
    many: set[str] = field(default_factory=set)
    apart: set[str] = field(default_factory=set)

    def copy(self) -> _Reads:
        return _Reads(set(self.some), set(self.many), set(self.apart))

    def read(self, name: str) -> None:
        (self.many if name in self.some else self.some).add(name)

    def kill(self, name: str) -> None:
        self.some.discard(name)
        self.many.discard(name)
        self.apart.discard(name)


def count_uses(program: Program) -> Uses:
    """Return which assignments of the program are read once."""
    walk = _Walk({header.name: header for header in program.headers})
    walk.body(program.body, _Reads())
    after = _Reads()
    for var in (program.verdict, program.port):
        if var is not None:
            after.read(var.name)
            after.read(var.name)
    after = walk.body(program.control, walk.body(program.deparser, after))
    _count_parser(walk, program, after)
    return Uses(walk.once - walk.more, walk.repeated, walk.truths)


def _count_parser(walk: _Walk, program: Program, after: _Reads) -> None:
    before = {ACCEPT: after}
    for state in reversed(in_order(program.parser)):
        targets = dict.fromkeys(case.target for case in state.transition.cases)
        reads = _join([before[name] for name in targets if name in before], _Reads())
        for key in state.transition.keys:
            for var in variables(key):
                reads.read(var.name)
        before[state.name] = walk.body(state.body, reads)


def _join(branches: list[_Reads], after: _Reads) -> _Reads:
    result = _Reads()
    for branch in branches:
        apart = (result.some & branch.some) - after.some
        result.some.update(branch.some)
        result.many.update(branch.many)
        result.apart.update(branch.apart, apart)
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
                    reads.kill(name)
            case Emit(header=header):
                for name in 2 * header_names(self.headers[header]):
                    reads.read(name)
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
            for var in variables(expr):
                reads.read(var.name)
        return reads

    def set(self, var: Var, reads: _Reads) -> None:
        reads.kill(var.name)
        if var.width == BOOL:
            self.truths.add(var.name)

    def note(self, stmt: Assign, name: str, reads: _Reads) -> None:
        (self.more if name in reads.many else self.once).add(id(stmt))
        if name in reads.apart:
            self.repeated.add(id(stmt))
