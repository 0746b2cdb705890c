"""How many bytes behind each packet pointer are known to be in the packet, at each place.

In: a linear body. The answer follows the paths of the program as the kernel's verifier does: a
passed `Check` covers bytes, `SetPointer` carries them over, `AdjustHead` forgets them, and where
paths meet the smallest number counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from p4xdp.midend.ir import (
    FALSE,
    XDP_ABORTED,
    AdjustHead,
    Body,
    Check,
    Const,
    Finish,
    Leave,
    Load,
    Program,
    Scope,
    SetPointer,
    Stmt,
    Store,
)
from p4xdp.midend.rewrite import bodies, ends, expressions, same, walk_expression, with_bodies
from p4xdp.records import dataclass, field, replace

Covered = dict[str, int]
"""Bytes in the packet behind a pointer; a pointer that is missing is not set."""

START: Covered = {"data": 0}

UNKNOWN = -1
"""Stands for a pointer that may lie behind the packet's end."""


def follow(body: Body, keep: Callable[[Stmt, Covered], bool]) -> Body:
    """Call `keep` on each reachable statement with what is covered before it.

    Returns the body without the statements for which `keep` is False.
    """
    return _Flow(keep).body(body, dict(START))[0]


def meet(covers: Iterable[Covered | None]) -> Covered | None:
    """Return what is covered where paths meet; None stands for a path that does not arrive."""
    arriving = [cover for cover in covers if cover is not None]
    if not arriving:
        return None
    first, *rest = arriving
    common = [pointer for pointer in first if all(pointer in cover for cover in rest)]
    return {pointer: min(cover[pointer] for cover in arriving) for pointer in common}


def cover_loads(program: Program) -> Program:
    """Return a linear program with a check in front of each load that only the values of variables
    show to lie in the packet: the verifier does not follow those. Such a check never fails."""
    body = cover(program.body, program)
    return program if body is program.body else replace(program, body=body)


def cover(body: Body, program: Program) -> Body:
    """Return a body, that of a linear program or a part of it, with a check in front of each access
    that none in the body covers."""
    verdict = FALSE if program.model == "filter" else Const(XDP_ABORTED, program.verdict.width)
    covering = _Cover(lambda stmt, covered: True, fail=(Finish(verdict),))
    return covering.body(body, dict(START))[0]


def accesses(stmt: Stmt) -> Iterator[tuple[str, int]]:
    """Yield for each load and store of a statement itself its pointer and how many bytes behind
    that it reaches."""
    if isinstance(stmt, Store):
        yield stmt.pointer, (stmt.offset + stmt.width + 7) // 8
    for expr in expressions(stmt):
        for part in walk_expression(expr):
            if isinstance(part, Load):
                yield part.pointer, (part.offset + part.width + 7) // 8


@dataclass(slots=True)
class _Flow:
    keep: Callable[[Stmt, Covered], bool]
    leaving: dict[str, list[Covered | None]] = field(default_factory=dict)

    def body(self, body: Body, covered: Covered | None) -> tuple[Body, Covered | None]:
        new: list[Stmt] = []
        for stmt in body:
            if covered is None:
                new.append(stmt)
            elif self.keep(stmt, covered):
                kept, covered = self.stmt(stmt, covered)
                new.append(kept)
        return (body if same(new, body) else tuple(new)), covered

    def stmt(self, stmt: Stmt, covered: Covered) -> tuple[Stmt, Covered | None]:
        match stmt:
            case Leave(label=label):
                self.leaving[label].append(covered)
                return stmt, None
            case Scope(label=label):
                self.leaving[label] = []
                new, out = self.inside(stmt, covered)
                return new, meet([out, *self.leaving.pop(label)])
            case Check(pointer=pointer, size=size):
                new, _ = self.inside(stmt, covered)
                return new, {**covered, pointer: max(covered.get(pointer, 0), size)}
            case AdjustHead():
                new, _ = self.inside(stmt, covered)
                return new, dict(START)
            case SetPointer():
                return stmt, {**covered, stmt.pointer: _moved(stmt, covered)}
            case _ if bodies(stmt):
                return self.inside(stmt, covered)
            case _:
                return stmt, None if ends((stmt,)) else covered

    def inside(self, stmt: Stmt, covered: Covered) -> tuple[Stmt, Covered | None]:
        results = [self.body(body, covered) for body in bodies(stmt)]
        return with_bodies(stmt, tuple(body for body, _ in results)), meet(
            out for _, out in results
        )


def _moved(stmt: SetPointer, covered: Covered) -> int:
    if stmt.amount is not None:
        return UNKNOWN
    return max(UNKNOWN, covered.get(stmt.base, UNKNOWN) - stmt.offset)


@dataclass(slots=True)
class _Cover(_Flow):
    """Puts checks in front of what is not covered."""

    fail: Body = ()

    def body(self, body: Body, covered: Covered | None) -> tuple[Body, Covered | None]:
        new: list[Stmt] = []
        for stmt in body:
            if covered is None:
                new.append(stmt)
                continue
            for pointer, size in _demanded(stmt).items():
                if covered.get(pointer, UNKNOWN) < size:
                    new.append(Check(pointer, size, self.fail))
                    covered = {**covered, pointer: size}
            kept, covered = self.stmt(stmt, covered)
            new.append(kept)
        return (body if same(new, body) else tuple(new)), covered


def _demanded(stmt: Stmt) -> Covered:
    """Return for each pointer how many bytes behind it a statement itself loads or stores."""
    sizes: Covered = {}
    for pointer, size in accesses(stmt):
        sizes[pointer] = max(size, sizes.get(pointer, 0))
    return sizes
