"""Give control flow the shape that a person would write.

    scope done {                   if (a) {
        if (a) {                       x = 1;
            x = 1;          ->     } else {
            leave done;                x = 2;
        }                          }
        x = 2;
    }

Jumps to where control arrives anyway disappear, and with them the scopes that nobody leaves early;
a branch that ends needs no `else`; a switch with one value becomes an `if`.
"""

from __future__ import annotations

import re

from p4xdp.midend.fold import fold, negate
from p4xdp.midend.ir import (
    BOOL,
    AdjustHead,
    Apply,
    Assign,
    Binary,
    BinaryOp,
    Body,
    Check,
    Const,
    Effect,
    Finish,
    If,
    Leave,
    Program,
    Scope,
    Stmt,
    Switch,
    SwitchCase,
    stored_width,
    width_of,
)
from p4xdp.midend.rewrite import (
    bodies,
    ends,
    map_program,
    map_statements,
    only_open,
    same,
    walk,
    with_bodies,
)
from p4xdp.records import dataclass, field, replace

DEEPEST_REST = 6
"""Nested branches that may hold the rest of a body because no other branch goes on."""

_BRANCHING = (If, Switch, Apply, Scope)

NUMBER = re.compile(r"\.\d+$")

DEEPEST = 16
"""Nested branches beyond which a jump is no worse than another branch."""

MOST_EXHAUSTED = 8
"""Bits of a selector whose values may all have a case."""

MOST_NESTED = 32
"""Nested branches that may come about by putting what a jump leads to in its place."""

LARGEST_SHARED = 4
"""Statements of switch cases that are compared in order to share one body."""

Tail = str | Finish | None
"""What falling out of a body's end comes to: the label of a scope's end, or the program's end."""


def straighten(program: Program) -> Program:
    """Return the program with fewer jumps and shorter branches."""
    shape, numbers = _Shape(), _Numbers()
    return map_program(program, lambda body: numbers.body(shape.body(body, None, 0)))


@dataclass(slots=True)
class _Shape:
    """`used` are the labels with a jump left, `jumps` those inside of statements; `renamed` lead
    from the labels of scopes that went.

    A statement may be shaped again together with what follows it, so labels keep their names here.
    """

    used: set[str] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)
    jumps: _Jumps = field(default_factory=lambda: _Jumps())

    def body(self, body: Body, tail: Tail, depth: int) -> Body:
        new: list[Stmt] = []
        last_mark = max((i for i, stmt in enumerate(body) if _is_mark(stmt)), default=-1)
        for index, stmt in enumerate(body):
            last = index == len(body) - 1
            after = tail if last else self.jumps_on(body[index + 1])
            made: Body = (stmt,) if isinstance(stmt, If) else self.stmt(stmt, after, depth)
            moves = not last and last_mark <= index and made and isinstance(made[-1], _BRANCHING)
            taken = self.with_rest(made[-1], body[index + 1 :], tail, depth) if moves else None
            if taken is not None:
                new += (*made[:-1], *taken)
                break
            new += self.stmt(stmt, after, depth) if isinstance(stmt, If) else made
        return body if same(new, body) else tuple(new)

    def with_rest(self, stmt: Stmt, rest: Body, tail: Tail, depth: int) -> Body | None:
        """Return the statement with the rest of its body in the one branch that goes on."""
        if isinstance(stmt, If):
            taken = self.take_in(stmt, rest, tail) if depth < DEEPEST else None
            return self.stmt(taken, tail, depth) if taken else None
        if isinstance(stmt, Scope):
            return self.in_place_of_jump(stmt, rest, depth)
        index = only_open(stmt)
        if index is None or depth >= DEEPEST_REST:
            return None
        inside = list(bodies(stmt))
        inside[index] += self.body(rest, tail, depth + 1)
        return (with_bodies(stmt, tuple(inside)),)

    def in_place_of_jump(self, stmt: Scope, rest: Body, depth: int) -> Body | None:
        """Return the scope's body with the rest, which ends, where the only jump to it stands."""
        if self.jumps.to(stmt.label, stmt.body) != 1 or not ends(stmt.body) or not ends(rest):
            return None
        shaped = self.body(rest, None, depth)
        above = depth + self.jumps.depth(stmt.label, stmt.body)
        if above + max(map(self.jumps.height, shaped), default=0) > MOST_NESTED:
            return (stmt, *shaped)

        def put(inner: Stmt) -> Body:
            return shaped if isinstance(inner, Leave) and inner.label == stmt.label else (inner,)

        return map_statements(stmt.body, put)

    def jumps_on(self, following: Stmt) -> Tail:
        """Return where falling into the following statement leads at once."""
        match following:
            case Leave(label=label):
                return self.renamed.get(label, label)
            case Finish():
                return following
            case _:
                return None

    def take_in(self, stmt: Stmt, rest: Body, tail: Tail) -> Stmt | None:
        """Return the `if` with the rest of the body in the one branch that goes on."""
        if not isinstance(stmt, If) or tail is None:
            return None
        if self.falls_out(stmt.then, tail):
            return replace(stmt, otherwise=stmt.otherwise + rest)
        if self.falls_out(stmt.otherwise, tail):
            return replace(stmt, then=stmt.then + rest)
        return None

    def falls_out(self, body: Body, tail: Tail) -> bool:
        return bool(body) and isinstance(body[-1], Leave) and self.jumps_on(body[-1]) == tail

    def stmt(self, stmt: Stmt, tail: Tail, depth: int) -> Body:
        match stmt:
            case Leave():
                return self.leave(stmt, tail)
            case Finish() if stmt == tail:
                return ()
            case Scope():
                return self.scope(stmt, tail, depth)
            case Check() | AdjustHead():
                return (self.inside(stmt, None, depth + 1),)
            case _ if bodies(stmt):
                return _shape(self.inside(stmt, tail, depth + 1))
            case _:
                return (stmt,)

    def leave(self, stmt: Leave, tail: Tail) -> Body:
        label = self.renamed.get(stmt.label, stmt.label)
        if label == tail:
            return ()
        self.used.add(label)
        return (stmt if label == stmt.label else Leave(label, stmt.span),)

    def scope(self, stmt: Scope, tail: Tail, depth: int) -> Body:
        if isinstance(tail, str):
            self.renamed[stmt.label] = tail
            return self.body(stmt.body, tail, depth)
        body = self.body(stmt.body, stmt.label, depth)
        if stmt.label not in self.used:
            return body
        return self.narrow(stmt if body is stmt.body else Scope(stmt.label, body))

    def narrow(self, scope: Scope) -> Body:
        """Return the scope around no more than what leaves it, if anything does."""
        label, body = scope.label, scope.body
        first = next((i for i, stmt in enumerate(body) if self.jumps.to(label, (stmt,))), None)
        if first is None:
            return body
        head, rest = body[:first], body[first:]
        if len(rest) == 1 and isinstance(rest[0], If | Switch | Apply):
            inside = list(bodies(rest[0]))
            going_on = [
                i
                for i, inner in enumerate(inside)
                if not ends(inner) or self.jumps.to(label, inner)
            ]
            if len(going_on) == 1:
                (index,) = going_on
                inside[index] = self.narrow(Scope(label, inside[index]))
                return (*head, with_bodies(rest[0], tuple(inside)))
        return (*head, Scope(label, rest)) if head else (scope,)

    def inside(self, stmt: Stmt, tail: Tail, depth: int) -> Stmt:
        old = bodies(stmt)
        new = tuple(self.body(body, tail, depth) for body in old)
        unchanged = same(new, old)
        return stmt if unchanged else with_bodies(stmt, new)


@dataclass(slots=True)
class _Jumps:
    """How often each label outside of a statement is left inside, counted once for each: scopes
    stand inside each other as deeply as a parser's loops are unrolled."""

    counts: dict[int, tuple[Stmt, dict[str, int]]] = field(default_factory=dict)
    heights: dict[int, tuple[Stmt, int]] = field(default_factory=dict)

    def to(self, label: str, body: Body) -> int:
        return sum(self.inside(stmt).get(label, 0) for stmt in body)

    def inside(self, stmt: Stmt) -> dict[str, int]:
        known = self.counts.get(id(stmt))
        if known is None:
            # the statement is kept, too, so that no other one gets its id
            known = self.counts[id(stmt)] = (stmt, self.count(stmt))
        return known[1]

    def count(self, stmt: Stmt) -> dict[str, int]:
        if isinstance(stmt, Leave):
            return {stmt.label: 1}
        found: dict[str, int] = {}
        for inner in (inner for body in bodies(stmt) for inner in body):
            for label, number in self.inside(inner).items():
                found[label] = found.get(label, 0) + number
        if isinstance(stmt, Scope):
            found.pop(stmt.label, None)
        return found

    def depth(self, label: str, body: Body) -> int:
        """Return how many branches stand around the first jump to a label."""
        stmt = next(stmt for stmt in body if label in self.inside(stmt))
        if isinstance(stmt, Leave):
            return 0
        inner = next(b for b in bodies(stmt) if self.to(label, b))
        return self.depth(label, inner) + _is_branch(stmt)

    def height(self, stmt: Stmt) -> int:
        """Return how many branches stand inside each other in a statement."""
        known = self.heights.get(id(stmt))
        if known is None:
            inside = [self.height(inner) for body in bodies(stmt) for inner in body]
            height = max(inside, default=0) + _is_branch(stmt)
            known = self.heights[id(stmt)] = (stmt, height)
        return known[1]


@dataclass(slots=True)
class _Numbers:
    """Labels numbered anew, so that equal programs have equal labels."""

    last: dict[str, int] = field(default_factory=dict)

    def body(self, body: Body) -> Body:
        labels = {s.label: self.label(s.label) for s in walk(body) if isinstance(s, Scope)}

        def renamed(stmt: Stmt) -> Body:
            if not isinstance(stmt, Scope | Leave) or labels[stmt.label] == stmt.label:
                return (stmt,)
            return (replace(stmt, label=labels[stmt.label]),)

        return map_statements(body, renamed) if labels else body

    def label(self, old: str) -> str:
        name = NUMBER.sub("", old)
        number = self.last[name] = self.last.get(name, 0) + 1
        return f"{name}.{number}" if number > 1 else name


def _is_branch(stmt: Stmt) -> bool:
    return bool(bodies(stmt)) and not isinstance(stmt, Scope)


def _is_mark(stmt: Stmt) -> bool:
    """Tell whether copies of packets go on here, for which the statement must stay at the top."""
    return isinstance(stmt, Effect) and stmt.name == "resume"


def _shape(stmt: Stmt) -> Body:
    match stmt:
        case If():
            return _shape_if(stmt)
        case Switch():
            return _shape_switch(stmt)
        case _:
            return (stmt,)


# Branches


def _shape_if(stmt: If) -> Body:
    then, otherwise = stmt.then, stmt.otherwise
    if not then and not otherwise:
        return ()
    if not then:
        return _shape_if(
            replace(stmt, condition=negate(stmt.condition), then=otherwise, otherwise=())
        )
    if otherwise and ends(then):
        return _before(replace(stmt, otherwise=()), otherwise)
    if ends(otherwise):
        turned = replace(stmt, condition=negate(stmt.condition), then=otherwise, otherwise=())
        return _before(turned, then)
    return _truth(stmt) or (_conjunction(stmt),)


def _before(stmt: If, rest: Body) -> Body:
    """Return the `if`, whose branch ends, with `rest` behind it; an end that both share once."""
    if len(rest) == 1 and isinstance(rest[0], Finish) and stmt.then[-1] == rest[0]:
        kept = stmt.then[:-1]
        return (replace(stmt, then=kept), *rest) if kept else rest
    return (stmt, *rest)


def _truth(stmt: If) -> Body | None:
    """Return `x = condition` for branches that do no more than set `x` to true or false."""
    match stmt.then, stmt.otherwise:
        case (Assign() as one,), (Assign() as other,) if one.target == other.target:
            if one.target.width == BOOL and {one.value, other.value} == {Const(0, 0), Const(1, 0)}:
                chosen = stmt.condition if one.value == Const(1, 0) else negate(stmt.condition)
                return (Assign(one.target, chosen, stmt.span),)
    return None


def _conjunction(stmt: If) -> If:
    match stmt.then, stmt.otherwise:
        case (If(otherwise=()) as inner,), ():
            both = Binary(BinaryOp.LAND, stmt.condition, inner.condition)
            return replace(stmt, condition=fold(both), then=inner.then)
        case _:
            return stmt


def _shape_switch(stmt: Switch) -> Body:
    stmt = _exhausted(stmt)
    cases = _shared(stmt)
    if not cases:
        return stmt.default
    if len(cases) == 1 and len(cases[0].values) == 1:
        value = Const(cases[0].values[0], width_of(stmt.selector))
        test = fold(Binary(BinaryOp.EQ, stmt.selector, value))
        return _shape_if(If(test, cases[0].body, stmt.default, stmt.span))
    return (stmt if len(cases) == len(stmt.cases) else replace(stmt, cases=cases),)


def _exhausted(stmt: Switch) -> Switch:
    """Make the last case the default when the cases leave no other value."""
    width = stored_width(width_of(stmt.selector))
    if width > MOST_EXHAUSTED or sum(len(case.values) for case in stmt.cases) < 1 << width:
        return stmt
    return replace(stmt, cases=stmt.cases[:-1], default=stmt.cases[-1].body)


def _shared(stmt: Switch) -> tuple[SwitchCase, ...]:
    """Return the cases without those that do what `default` does, equal ones together."""
    merged: dict[Body | int, SwitchCase] = {}
    for index, case in enumerate(stmt.cases):
        key = case.body if _is_short(case.body) else index
        if key == stmt.default and _is_short(case.body):
            continue
        values = (*merged[key].values, *case.values) if key in merged else case.values
        merged[key] = SwitchCase(values, case.body)
    if len(merged) == len(stmt.cases):
        return stmt.cases
    return tuple(merged.values())


def _is_short(body: Body) -> bool:
    return len(body) <= LARGEST_SHARED and not any(bodies(stmt) for stmt in body)
