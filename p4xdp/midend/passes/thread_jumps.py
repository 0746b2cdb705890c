"""Go straight to where a later condition leads, from every place that decides it.

    if (data[96+:16] == 16w0x800) {           if (data[96+:16] == 16w0x800) {
        check data 34 else { ... }                check data 34 else { ... }
        hd.ipv4.valid = true;           ->        hd.ipv4.valid = true;
    }                                             a.apply(data[240+:32]) { ... }
    if (hd.ipv4.valid) {                      }
        a.apply(data[240+:32]) { ... }
    }

A branching statement followed by a test hands each of its ways out to the branch that the test
would choose there; only the ways out that leave the test open still make it. No statement is
copied, except for short assignments between the two. What is known inside the branches grows,
since they are reached from fewer places.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from p4xdp.midend.facts import Facts
from p4xdp.midend.forward import Flow
from p4xdp.midend.ir import (
    Apply,
    Assign,
    Body,
    Const,
    Expr,
    Finish,
    If,
    Leave,
    Program,
    Scope,
    Stmt,
    Switch,
    SwitchCase,
    Var,
    given,
)
from p4xdp.midend.rewrite import expressions, map_statements, same, variables, walk, walk_expression
from p4xdp.midend.uses import count_uses
from p4xdp.records import dataclass, field, replace

LONGEST = 16
"""Tests in a row behind one statement."""

MOST_BETWEEN = 3
"""Computations that may stand between the two statements, and so in several places later."""

LARGEST_TESTED = 256
"""Nodes of a test that is evaluated on each way out of the statement before it."""

MOST_COPIES = 24
"""Assignments of any kind that may stand there."""


def thread_jumps(program: Program) -> Program:
    """Return a linear or narrow program with fewer tests, propagated on the way."""
    flow = _Threading(headers={}, uses=count_uses(program), narrow=program.stage == "narrow")
    flow.labels = {stmt.label for stmt in walk(program.body) if isinstance(stmt, Scope)}
    for var in given(program):
        flow.forget(var.name)
    return replace(program, body=flow.body(program.body))


@dataclass(slots=True)
class _Way:
    """One branch of a test: where it starts, and the facts of each jump to it."""

    label: str
    body: Body
    assume: Callable[[], None]
    arriving: list[Facts] = field(default_factory=list)


@dataclass(slots=True)
class _Test:
    """A test that ways out of the statement before it are compared with.

    `mark` is the place in the log at which that statement starts, `between` what stands between.
    `number` is the index of the tested statement in its body, `length` counts the tests since the
    first statement. `open` collects the facts where the outcome is not known. Without a subject
    there is nothing to decide; the program may `finish` there.
    """

    mark: int
    open: _Way
    subject: Expr | None = None
    ways: list[_Way] = field(default_factory=list)
    values: dict[int, int] = field(default_factory=dict)
    default: int = 0
    between: Body = ()
    number: int = 0
    length: int = 1
    finish: Finish | None = None

    def way(self, outcome: Expr) -> _Way:
        if self.subject is None or not isinstance(outcome, Const):
            return self.open
        return self.ways[self.values.get(outcome.value, self.default)]

    @property
    def decided(self) -> bool:
        return any(way.arriving for way in self.ways)


@dataclass(slots=True)
class _Threading(Flow):
    """`tail` is the test behind the end of the body that is being walked."""

    labels: set[str] = field(default_factory=set)
    tail: _Test | None = None
    behind: dict[str, _Test | None] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)

    def label(self, name: str) -> str:
        while True:
            number = self.numbers[name] = self.numbers.get(name, 0) + 1
            label = f"{name}.{number}" if number > 1 else name
            if label not in self.labels:
                self.labels.add(label)
                return label

    # Bodies

    def body(self, body: Body) -> Body:
        outer = self.tail
        new: list[Stmt] = []
        code: Body = ()
        pending: _Test | None = None
        index = 0
        while index < len(body) and (self.alive or pending):
            stmt = body[index]
            mark = pending.mark if pending else len(self.log)
            following = self.test_behind(body, index, mark)
            if following and pending:
                following.length = pending.length + 1
                following = following if following.length < LONGEST else None
            last = index == len(body) - 1
            self.tail = following or (outer if last else None)
            code = self.enter(stmt, code, pending) if pending else self.stmt(stmt)
            index, pending = index + 1, None
            if following and following.decided:
                index, pending = following.number, following
            else:
                if following:
                    code = self.closed(code, following)
                new += code
        self.tail = outer
        if self.alive and outer is not None:
            new.append(self.jump(outer))
        return body if same(new, body) else tuple(new)

    def test_behind(self, body: Body, index: int, mark: int) -> _Test | None:
        """Return the test that follows a branching statement, if there is one."""
        if not isinstance(body[index], If | Switch | Apply | Scope):
            return None
        number = index + 1
        while number < len(body) and isinstance(body[number], Assign):
            number += 1
        between = body[index + 1 : number]
        if number == len(body) or not _is_light(between):
            return None
        test = self.test(body[number], mark)
        if test is None:
            return None
        read = {var.name for expr in expressions(body[number]) for var in variables(expr)}
        if any(isinstance(stmt, Assign) and stmt.target.name in read for stmt in between):
            return None
        test.between, test.number = between, number
        return test

    def test(self, stmt: Stmt, mark: int) -> _Test | None:
        none = _Way("", (), lambda: None)
        tested = (node for expr in expressions(stmt) for node in walk_expression(expr))
        if next(islice(tested, LARGEST_TESTED, None), None) is not None:
            return None
        match stmt:
            case If(condition=condition, then=then, otherwise=otherwise):
                ways = [
                    _Way("", then, lambda: self.assume(self.resolve(condition), True)),
                    _Way("", otherwise, lambda: self.assume(self.resolve(condition), False)),
                ]
                return _Test(mark, none, condition, ways, {1: 0, 0: 1})
            case Switch(selector=selector, cases=cases, default=default):
                ways = [_Way("", case.body, self.selected(selector, case.values)) for case in cases]
                ways.append(_Way("", default, lambda: None))
                values = {v: number for number, case in enumerate(cases) for v in case.values}
                return _Test(mark, none, selector, ways, values, len(cases))
            case Finish():
                return _Test(mark, none, finish=stmt)
            case _:
                return None

    # Ways out

    def jump(self, test: _Test) -> Stmt:
        """Return the jump from here to the branch that the test would choose."""
        if test.finish is not None:
            (end,) = Flow.stmt(self, test.finish)
            if isinstance(end, Finish) and isinstance(end.verdict, Const):
                return end
            self.alive = True
        way = test.open
        if test.subject is not None:
            way = test.way(self.resolve(test.subject))
        return self.to(way, test)

    def to(self, way: _Way, test: _Test) -> Leave:
        if not way.label:
            way.label = self.label("end" if test.subject is None else "then")
        way.arriving.append(self.changes(test.mark))
        self.alive = False
        return Leave(way.label)

    def stmt(self, stmt: Stmt) -> Body:
        if isinstance(stmt, Leave):
            test = self.behind.get(stmt.label)
            if test is not None:
                return (self.jump(test),)
        if isinstance(stmt, Scope):
            self.behind[stmt.label] = self.tail
        return Flow.stmt(self, stmt)

    # The test, reached by jumps

    def closed(self, code: Body, test: _Test) -> Body:
        """Return the code as a scope that all its ways out leave to the same place."""
        self.take_back(test.mark)
        self.join(test.open.arriving)
        return (Scope(test.open.label, code),) if test.open.label else code

    def enter(self, stmt: Stmt, code: Body, test: _Test) -> Body:
        """Return the code before the test with the branches of the test behind it."""
        end = None
        if self.tail is None:
            end = self.tail = _Test(test.mark, _Way("", (), lambda: None))
        tail = self.tail
        self.take_back(test.mark)
        if test.open.arriving:
            code = self.still_open(stmt, code, test)
        for way in test.ways:
            if way.arriving:
                self.take_back(test.mark)
                self.join(way.arriving)
                self.tail = tail
                code = _placed(code, way, self.body((*test.between, *way.body)))
        self.take_back(test.mark)
        self.alive = False
        return self.closed(code, end) if end else code

    def still_open(self, stmt: Stmt, code: Body, test: _Test) -> Body:
        """Make the test where its outcome is not known."""
        self.join(test.open.arriving)
        assert test.subject is not None
        subject = self.resolve(test.subject)
        leaves: list[Body] = []
        for way in test.ways:
            mark = len(self.log)
            way.assume()
            leaves.append((self.to(way, test),))
            self.take_back(mark)
        self.take_back(test.mark)
        match stmt:
            case If():
                decision: Stmt = If(subject, leaves[0], leaves[1], stmt.span)
            case Switch(cases=cases):
                made = tuple(map(SwitchCase, (case.values for case in cases), leaves[:-1]))
                decision = Switch(subject, made, leaves[-1], stmt.span)
            case _:
                raise AssertionError(stmt)
        return (Scope(test.open.label, code), decision)


def _is_light(between: Body) -> bool:
    """Tell whether the assignments may be repeated."""
    computed = [
        s for s in between if isinstance(s, Assign) and not isinstance(s.value, Var | Const)
    ]
    return len(computed) <= MOST_BETWEEN and len(between) <= MOST_COPIES


def _placed(code: Body, way: _Way, body: Body) -> Body:
    """Put a branch behind the code, or in the place of the one jump that leads to it."""
    if len(way.arriving) > 1:
        return (Scope(way.label, code), *body)

    def put(stmt: Stmt) -> Body:
        return body if isinstance(stmt, Leave) and stmt.label == way.label else (stmt,)

    return map_statements(code, put)
