"""Check once for a run of headers, and never again what is known to be there.

    check data 14 else { finish 32w0; }          check data 34 else { finish 32w0; }
    hd.eth.type = data[96+:16];            ->    hd.eth.type = data[96+:16];
    check data 34 else { finish 32w0; }          hd.ipv4.ttl = data[176+:8];
    hd.ipv4.ttl = data[176+:8];

A check grows to what every path behind it demands before anything can be observed, when a shorter
packet ends in the same way; paths that end in that way themselves do not count.
"""

from __future__ import annotations

from p4xdp.midend.coverage import UNKNOWN, Covered, follow
from p4xdp.midend.ir import (
    SILENT_EFFECTS,
    AdjustHead,
    Apply,
    Assign,
    Body,
    Check,
    Const,
    Effect,
    Finish,
    If,
    Leave,
    PacketLength,
    Program,
    Scope,
    SetPointer,
    Stmt,
    Store,
    Switch,
    Trace,
    discards,
)
from p4xdp.midend.rewrite import bodies, same, with_bodies
from p4xdp.records import dataclass, field, replace


def merge_checks(program: Program) -> Program:
    """Return a linear program with fewer bounds checks."""
    body, _ = _Raise().body(program.body, _Need())
    return replace(program, body=follow(body, _is_needed))


def _is_needed(stmt: Stmt, covered: Covered) -> bool:
    if not isinstance(stmt, Check):
        return True
    return covered.get(stmt.pointer, UNKNOWN) < stmt.size


@dataclass(frozen=True, slots=True)
class _Need:
    """What all paths from a place on demand: `sizes` by pointer, or else they run `fail`.

    `ends`: they run `fail` in any case. `fail` is None where nothing is demanded.
    """

    fail: Body | None = None
    sizes: tuple[tuple[str, int], ...] = ()
    ends: bool = False

    def of(self, pointer: str) -> int:
        return max((size for name, size in self.sizes if name == pointer), default=0)

    def without(self, pointer: str) -> _Need:
        return replace(self, sizes=tuple(pair for pair in self.sizes if pair[0] != pointer))


NOTHING = _Need()


def _meet(one: _Need, other: _Need) -> _Need:
    if one.fail != other.fail:
        return NOTHING
    if one.ends:
        return other
    if other.ends:
        return one
    names = {name for name, _ in other.sizes}
    common = [name for name, _ in one.sizes if name in names]
    return _Need(one.fail, tuple((name, min(one.of(name), other.of(name))) for name in common))


@dataclass(slots=True)
class _Raise:
    """The walk against the order of execution; `after` holds the needs behind open scopes."""

    after: dict[str, _Need] = field(default_factory=dict)

    def body(self, body: Body, need: _Need) -> tuple[Body, _Need]:
        new: list[Stmt] = []
        for stmt in reversed(body):
            changed, need = self.stmt(stmt, need)
            new.append(changed)
        new.reverse()
        unchanged = same(new, body)
        return (body if unchanged else tuple(new)), need

    def stmt(self, stmt: Stmt, need: _Need) -> tuple[Stmt, _Need]:
        match stmt:
            case Finish(verdict=Const(), port=None):
                return stmt, _Need((stmt,), (), True)
            case Leave(label=label):
                return stmt, self.after[label]
            case Scope(label=label):
                self.after[label] = need
                return self.inside(stmt, need)
            case If() | Switch() | Apply():
                return self.inside(stmt, need)
            case Check():
                return _raised(stmt, need)
            case SetPointer():
                return stmt, _before(stmt, need)
            case Assign() | PacketLength():
                return stmt, need
            case Effect(name=name) if name in SILENT_EFFECTS:
                return stmt, need
            case Store() if need.fail is not None and discards(need.fail):
                return stmt, need
            case Effect() | Trace() | Store() | AdjustHead() | Finish():
                return self.inside(stmt, NOTHING)[0], NOTHING
            case _:
                return stmt, NOTHING

    def inside(self, stmt: Stmt, need: _Need) -> tuple[Stmt, _Need]:
        old = bodies(stmt)
        if not old:
            return stmt, need
        results = [self.body(body, need) for body in old]
        if any(new is not body for (new, _), body in zip(results, old, strict=True)):
            stmt = with_bodies(stmt, tuple(new for new, _ in results))
        first, *rest = (before for _, before in results)
        for other in rest:
            first = _meet(first, other)
        return stmt, first


def _before(stmt: SetPointer, need: _Need) -> _Need:
    """Return what is demanded before the pointer is set: of its base what is of itself behind."""
    size, others = need.of(stmt.pointer), need.without(stmt.pointer)
    if not size or stmt.amount is not None:
        return others
    size = max(stmt.offset + size, others.of(stmt.base))
    return replace(others, sizes=((stmt.base, size), *others.without(stmt.base).sizes))


def _raised(stmt: Check, need: _Need) -> tuple[Stmt, _Need]:
    if not isinstance(stmt.fail[-1], Finish):  # what a shorter packet meets goes on from there
        return stmt, NOTHING
    if need.fail != stmt.fail:
        return stmt, _Need(stmt.fail, ((stmt.pointer, stmt.size),))
    size = max(stmt.size, need.of(stmt.pointer))
    others = need.without(stmt.pointer).sizes
    raised = stmt if size == stmt.size else replace(stmt, size=size)
    return raised, _Need(stmt.fail, ((stmt.pointer, size), *others))
