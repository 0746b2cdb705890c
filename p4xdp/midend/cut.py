"""Cut a narrow program into parts, for targets that take only so much in one piece.

In: a program in one body. Out: bodies that `GoOn` leads from one to a later one. A part knows
nothing of packet pointers and of what was checked by those before it: pointers are kept as numbers
of bytes and set again, and checks that never fail stand in front of what the part looks at. A
variable keeps its value from part to part. Where the program's lock is held it is not cut if what
is locked fits in a part.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from p4xdp.midend.coverage import Covered, accesses, cover, follow
from p4xdp.midend.fold import fold
from p4xdp.midend.ir import (
    Apply,
    Assign,
    Binary,
    BinaryOp,
    Body,
    Check,
    Const,
    Effect,
    Expr,
    Finish,
    GoOn,
    If,
    Leave,
    Program,
    Scope,
    SetPointer,
    Stmt,
    Switch,
    Unary,
    UnaryOp,
    Var,
)
from p4xdp.midend.parse_graph import FURTHEST, OFFSET_WIDTH
from p4xdp.midend.rewrite import bodies, ends, map_statements, walk, with_bodies
from p4xdp.records import dataclass, field, replace

ENTRY = Var("$entry", 32)
"""Which of the places where a part can be entered, 0 for its start."""

PACKED = 0.25
"""The weight up to which a statement stays whole, so that parts become about equally heavy."""

Weigh = Callable[[Stmt], float]
"""What a statement itself, without its bodies, takes of a part, which takes 1 in all."""


def cut(program: Program, weigh: Weigh) -> tuple[Body, ...]:
    """Return the parts in their order, the first of which starts the program; one if it fits."""
    scales = _Scales(weigh)
    if scales.of(program.body) <= 1:
        return (program.body,)
    labels = {stmt.label for stmt in walk(program.body) if isinstance(stmt, Scope)}
    spine = _Flattening(scales, labels).body(program.body)
    parts = _Cutting(scales).parts(spine)
    return tuple(cover(part, program) for part in _with_pointers(parts))


def kept_pointer(pointer: str) -> Var:
    """Return the variable that holds how many bytes behind the packet's start a pointer is."""
    return Var(f"{pointer}.$at", OFFSET_WIDTH)


@dataclass(slots=True)
class _Scales:
    """Weighs statements with all that is in them, each once."""

    weigh: Weigh
    known: dict[int, tuple[Stmt, float]] = field(default_factory=dict)

    def of(self, body: Body) -> float:
        return sum(self.one(stmt) for stmt in body)

    def one(self, stmt: Stmt) -> float:
        found = self.known.get(id(stmt))
        if found is None:
            weight = self.weigh(stmt) + sum(self.of(body) for body in bodies(stmt))
            # the statement is kept with its weight: another one could get its number
            found = self.known[id(stmt)] = (stmt, weight)
        return found[1]


# Heavy branches become code behind a scope, where a cut can be made


@dataclass(slots=True)
class _Flattening:
    scales: _Scales
    labels: set[str]

    def body(self, body: Body) -> Body:
        return tuple(new for stmt in body for new in self.stmt(stmt))

    def stmt(self, stmt: Stmt) -> Body:
        if self.scales.one(stmt) <= PACKED:
            return (stmt,)
        match stmt:
            case Scope(label=label, body=body):
                return (Scope(label, self.body(body)),)
            case If():
                return self.condition(stmt)
            case Switch() | Apply():
                return self.branches(stmt)
            case _:
                return (stmt,)

    def label(self, name: str) -> str:
        number, label = 1, name
        while label in self.labels:
            number += 1
            label = f"{name}.{number}"
        self.labels.add(label)
        return label

    def is_heavy(self, body: Body) -> bool:
        return self.scales.of(body) > PACKED / 2

    def condition(self, stmt: If) -> Body:
        behind = self.label("joined")
        if not self.is_heavy(stmt.then):
            test = If(stmt.condition, _left(stmt.then, behind), (), stmt.span)
            return (Scope(behind, (test, *self.body(stmt.otherwise))),)
        failed = fold(Unary(UnaryOp.LNOT, stmt.condition))
        then = self.body(stmt.then)
        if not self.is_heavy(stmt.otherwise):
            test = If(failed, _left(stmt.otherwise, behind), (), stmt.span)
            return (Scope(behind, (test, *then)),)
        other = self.label("otherwise")
        test = If(failed, (Leave(other),), (), stmt.span)
        first = Scope(other, (test, *_left(then, behind)))
        return (Scope(behind, (first, *self.body(stmt.otherwise))),)

    def branches(self, stmt: Switch | Apply) -> Body:
        behind = self.label("joined")
        moved: list[tuple[str, Body]] = []
        inside: list[Body] = []
        for body in bodies(stmt):
            if self.is_heavy(body):
                moved.append((self.label("branch"), body))
                inside.append((Leave(moved[-1][0]),))
            else:
                inside.append(_left(body, behind))
        result: Body = (with_bodies(stmt, tuple(inside)),)
        for label, body in moved[:-1]:
            result = (Scope(label, result), *_left(self.body(body), behind))
        for label, body in moved[-1:]:
            result = (Scope(label, result), *self.body(body))
        return (Scope(behind, result),)


def _left(body: Body, label: str) -> Body:
    return body if ends(body) else (*body, Leave(label))


# The cuts


@dataclass(frozen=True, slots=True)
class _Event:
    """A statement, or the start or the end of a scope, in part number `part`."""

    kind: Literal["run", "open", "close"]
    part: int
    stmt: Stmt


@dataclass(slots=True)
class _Locks:
    """Follows whether the program's lock is held, statement by statement; None where nothing gets
    to."""

    is_held: bool | None = False
    at_labels: dict[str, bool] = field(default_factory=dict)

    def run(self, stmt: Stmt) -> None:
        match stmt:
            case Effect(name="lock" | "unlock" as name):
                self.is_held = name == "lock"
            case Leave(label=label):
                if self.is_held is not None:
                    self.at_labels[label] = self.is_held
                self.is_held = None
            case Finish() | GoOn():
                self.is_held = None
            case Scope(label=label, body=body):
                self.run_all(body)
                self.leave(label)
            case _:
                self.branch(bodies(stmt))

    def run_all(self, body: Body) -> None:
        for stmt in body:
            self.run(stmt)

    def branch(self, branches: tuple[Body, ...]) -> None:
        before, after = self.is_held, None if branches else self.is_held
        for body in branches:
            self.is_held = before
            self.run_all(body)
            after = self.is_held if after is None else after
        self.is_held = after

    def leave(self, label: str) -> None:
        """Go on behind a scope."""
        if self.is_held is None:
            self.is_held = self.at_labels.get(label)


@dataclass(slots=True)
class _Cutting:
    """`closes` says in which part a scope ends, `entries` as which entry of it other parts go to
    that place."""

    scales: _Scales
    events: list[_Event] = field(default_factory=list)
    closes: dict[str, int] = field(default_factory=dict)
    entries: dict[str, int] = field(default_factory=dict)
    part: int = 0
    load: float = 0.0
    locks: _Locks = field(default_factory=lambda: _Locks())
    locked: int | None = None
    """The event that took the lock, where it is held."""

    def parts(self, spine: Body) -> tuple[Body, ...]:
        self.note(spine)
        for event in self.events:
            if event.kind == "run":
                self.note_entries(event)
        return tuple(self.built(number) for number in range(self.part + 1))

    def note(self, body: Body) -> None:
        for stmt in body:
            weight = self.scales.one(stmt)
            if isinstance(stmt, Scope) and weight > PACKED:
                self.events.append(_Event("open", self.part, stmt))
                self.note(stmt.body)
                self.events.append(_Event("close", self.part, stmt))
                self.closes[stmt.label] = self.part
                self.locks.leave(stmt.label)
            else:
                if self.load > 0 and self.load + weight > 1:
                    self.next_part(weight)
                self.load += weight
                self.events.append(_Event("run", self.part, stmt))
                self.locks.run(stmt)
            self.note_lock()

    def note_lock(self) -> None:
        if not self.locks.is_held:
            self.locked = None
        elif self.locked is None:
            self.locked = len(self.events) - 1

    def next_part(self, weight: float) -> None:
        """Cut here, or where the lock was taken if all since then goes with `weight` in a part."""
        start = len(self.events) if self.locked is None else self.locked
        taken = [event for event in self.events[start:] if event.kind == "run"]
        load = sum(self.scales.one(event.stmt) for event in taken)
        before = [event for event in self.events[:start] if event.kind == "run"]
        starts_here = bool(before) and before[-1].part == self.part
        if not starts_here or load + weight > 1:
            start, load = len(self.events), 0.0
        self.part, self.load = self.part + 1, load
        for at, event in enumerate(self.events[start:], start):
            self.events[at] = replace(event, part=self.part)
            if event.kind == "close" and isinstance(event.stmt, Scope):
                self.closes[event.stmt.label] = self.part

    def note_entries(self, event: _Event) -> None:
        for stmt in walk((event.stmt,)):
            if isinstance(stmt, Leave) and self.closes.get(stmt.label, event.part) != event.part:
                self.entries.setdefault(stmt.label, len(self.entries) + 1)

    def built(self, part: int) -> Body:
        """Return a part: the scopes that end in it, and at its start the way into them."""
        around = self.open_at_start(part)
        lists: list[list[Stmt]] = [[] for _ in range(len(around) + 1)]
        for label in around:
            if label in self.entries:
                here = Const(self.entries[label], ENTRY.width)
                lists[-1].append(If(Binary(BinaryOp.EQ, ENTRY, here), (Leave(label),)))
        for event in (event for event in self.events if event.part == part):
            if event.kind == "run":
                lists[-1] += map_statements((event.stmt,), lambda s: self.leaving(s, part))
                continue
            assert isinstance(event.stmt, Scope)
            if self.closes[event.stmt.label] != part:
                continue
            if event.kind == "open":
                lists.append([])
            else:
                inner = tuple(lists.pop())
                lists[-1].append(Scope(event.stmt.label, inner))
        (body,) = lists
        return (
            tuple(body) if ends(tuple(body)) or part == self.part else (*body, *self.go(part + 1))
        )

    def open_at_start(self, part: int) -> list[str]:
        """Return the labels of the scopes that start before the part and end in it, outer ones
        first."""
        return [
            event.stmt.label
            for event in self.events
            if event.kind == "open"
            and isinstance(event.stmt, Scope)
            and event.part < part == self.closes[event.stmt.label]
        ]

    def leaving(self, stmt: Stmt, part: int) -> Body:
        if isinstance(stmt, Leave) and self.closes.get(stmt.label, part) != part:
            return self.go(self.closes[stmt.label], self.entries[stmt.label])
        return (stmt,)

    def go(self, part: int, entry: int = 0) -> Body:
        if any(self.closes[label] == part for label in self.entries):
            return (Assign(ENTRY, Const(entry, ENTRY.width)), GoOn(part))
        return (GoOn(part),)


# Packet pointers from part to part


def _with_pointers(parts: tuple[Body, ...]) -> tuple[Body, ...]:
    """Keep the pointers that other parts than those that set them need, and set them there."""
    needed = [_unset(part) for part in parts]
    kept = set().union(*needed)
    bases = {
        stmt.pointer: stmt.base
        for part in parts
        for stmt in walk(part)
        if isinstance(stmt, SetPointer) and stmt.base not in ("data", stmt.pointer)
    }
    while more := {bases[name] for name in kept if name in bases} - kept:
        kept |= more

    def noting(stmt: Stmt) -> Body:
        if isinstance(stmt, SetPointer) and stmt.pointer in kept:
            return (stmt, Assign(kept_pointer(stmt.pointer), _place(stmt)))
        return (stmt,)

    return tuple(
        (*map(_set_again, sorted(missing)), *map_statements(part, noting))
        for part, missing in zip(parts, needed, strict=True)
    )


def _set_again(pointer: str) -> Stmt:
    return SetPointer(pointer, "data", 0, kept_pointer(pointer), FURTHEST)


def _place(stmt: SetPointer) -> Expr:
    """Return how many bytes behind the packet's start a pointer is set."""
    place: Expr = Const(stmt.offset, OFFSET_WIDTH)
    if stmt.base != "data":
        place = fold(Binary(BinaryOp.ADD, kept_pointer(stmt.base), place))
    if stmt.amount is not None:
        place = fold(Binary(BinaryOp.ADD, place, stmt.amount))
    return place


def _unset(part: Body) -> set[str]:
    """Return the pointers that a part may use before it sets them."""
    found: set[str] = set()

    def look(stmt: Stmt, covered: Covered) -> bool:
        used = {pointer for pointer, _ in accesses(stmt)}
        match stmt:
            case Check(pointer=pointer):
                used.add(pointer)
            case SetPointer(base=base):
                used.add(base)
        found.update(used - covered.keys())
        return True

    follow(part, look)
    return found
