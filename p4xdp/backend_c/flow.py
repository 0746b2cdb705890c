"""What the statements of a body read and assign, and where control can go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from p4xdp.midend import ir
from p4xdp.records import dataclass


def expressions(stmt: ir.Stmt) -> Iterator[ir.Expr]:
    """Return the expressions that a statement evaluates itself, not those of bodies in it."""
    match stmt:
        case ir.Assign(value=value) | ir.Store(value=value):
            yield value
        case ir.If(condition=condition):
            yield condition
        case ir.Switch(selector=selector):
            yield selector
        case ir.Apply(keys=keys):
            yield from keys
        case ir.Effect(arguments=arguments):
            yield from arguments
        case ir.Trace(values=values):
            yield from values
        case ir.Finish(verdict=verdict, port=port):
            yield verdict
            if port is not None:
                yield port
        case ir.SetPointer(amount=amount):
            if amount is not None:
                yield amount
        case ir.AdjustHead(growth=growth):
            yield growth


def bodies(stmt: ir.Stmt) -> Iterator[ir.Body]:
    """Return the bodies directly inside a statement."""
    match stmt:
        case ir.If(then=then, otherwise=otherwise):
            yield then
            yield otherwise
        case ir.Switch(cases=cases, default=default):
            for case in cases:
                yield case.body
            yield default
        case ir.Scope(body=body):
            yield body
        case ir.Apply(arms=arms):
            for arm in arms:
                yield arm.body
        case ir.Check(fail=fail) | ir.AdjustHead(fail=fail):
            yield fail


def statements(body: ir.Body) -> Iterator[ir.Stmt]:
    """Return every statement of a body, those of inner bodies too, outer ones first."""
    for stmt in body:
        yield stmt
        for inner in bodies(stmt):
            yield from statements(inner)


def subexpressions(expr: ir.Expr) -> Iterator[ir.Expr]:
    """Return an expression and everything in it."""
    yield expr
    match expr:
        case ir.Unary(operand=operand):
            yield from subexpressions(operand)
        case ir.Binary(left=left, right=right) | ir.Concat(left=left, right=right):
            yield from subexpressions(left)
            yield from subexpressions(right)
        case ir.Slice(base=base) | ir.Extend(base=base):
            yield from subexpressions(base)
        case ir.Mux(condition=condition, then=then, otherwise=otherwise):
            yield from subexpressions(condition)
            yield from subexpressions(then)
            yield from subexpressions(otherwise)
        case ir.Pure(arguments=arguments):
            for argument in arguments:
                yield from subexpressions(argument)


def variables(expr: ir.Expr) -> Iterator[ir.Var]:
    return (e for e in subexpressions(expr) if isinstance(e, ir.Var))


def targets(stmt: ir.Stmt) -> Iterator[ir.Var]:
    """Return the variables that a statement itself sets; not an arm's data."""
    match stmt:
        case ir.Assign(target=target) | ir.PacketLength(target=target):
            yield target
        case ir.Effect(result=result):
            if result is not None:
                yield result
        case ir.Apply(hit=hit, action_run=action_run):
            yield from (var for var in (hit, action_run) if var is not None)


def needed_variables(body: ir.Body) -> frozenset[str]:
    """Return the variables whose values reach something other than an assignment to a variable
    that nobody needs."""
    needed: set[str] = set()
    feeds: dict[str, set[str]] = {}
    for stmt in statements(body):
        read = {var.name for expr in expressions(stmt) for var in variables(expr)}
        if isinstance(stmt, ir.Assign):
            feeds.setdefault(stmt.target.name, set()).update(read)
        else:
            needed |= read
    work = list(needed)
    while work:
        for name in feeds.pop(work.pop(), set()) - needed:
            needed.add(name)
            work.append(name)
    return frozenset(needed)


def falls_through(body: ir.Body) -> bool:
    """Tell whether control can reach what stands behind `body`."""
    return all(_passes(stmt) for stmt in body)


def _passes(stmt: ir.Stmt) -> bool:
    match stmt:
        case ir.Finish() | ir.Leave():
            return False
        case ir.Scope(label=label, body=body):
            return falls_through(body) or leaves(body, label)
        case ir.If(then=then, otherwise=otherwise):
            return falls_through(then) or falls_through(otherwise)
        case ir.Switch(cases=cases, default=default):
            return falls_through(default) or any(falls_through(case.body) for case in cases)
    return True  # an entry whose action number names no arm runs none


def leaves(body: ir.Body, label: str) -> bool:
    """Tell whether anything in `body` jumps to `label`."""
    return any(isinstance(stmt, ir.Leave) and stmt.label == label for stmt in statements(body))


@dataclass(slots=True)
class Assigned:
    """One walk along the jumps: which variables may be read before they are assigned.

    Sets of variables are bit masks over `bits`; None stands for a place that is never reached.
    """

    needed: frozenset[str]
    unset: set[str] = field(default_factory=set)
    _bits: dict[str, int] = field(default_factory=dict)
    _at_labels: dict[str, int | None] = field(default_factory=dict)

    def walk(self, body: ir.Body, before: int | None = 0) -> int | None:
        """Return what is assigned behind `body`."""
        for stmt in body:
            if before is None:
                return None
            before = self._step(stmt, before)
        return before

    def start(self, variables: list[ir.Var]) -> int:
        """Return the set of `variables`, for what is assigned at the start of a walk."""
        return sum(self._bit(var.name) for var in variables)

    def _bit(self, name: str) -> int:
        return self._bits.setdefault(name, 1 << len(self._bits))

    def _step(self, stmt: ir.Stmt, before: int) -> int | None:
        if not (isinstance(stmt, ir.Assign) and stmt.target.name not in self.needed):
            self._read(stmt, before)
        for target in targets(stmt):
            before |= self._bit(target.name)
        match stmt:
            case ir.Finish():
                return None
            case ir.Leave(label=label):
                self._at_labels[label] = _meet(self._at_labels.get(label), before)
                return None
            case ir.Scope(label=label, body=body):
                after = self.walk(body, before)
                return _meet(after, self._at_labels.pop(label, None))
            case ir.Apply(arms=arms):
                return self._arms(arms, before)
            case ir.Check(fail=fail) | ir.AdjustHead(fail=fail):
                self.walk(fail, before)
                return before
            case ir.If() | ir.Switch():
                after = None
                for body in bodies(stmt):
                    after = _meet(after, self.walk(body, before))
                return after
        return before

    def _arms(self, arms: tuple[ir.ActionArm, ...], before: int) -> int | None:
        after = before  # a table whose entries name no arm runs none
        for arm in arms:
            inside = before
            for var in arm.data:
                inside |= self._bit(var.name)
            end = self.walk(arm.body, inside)
            after = after if end is None else after & end
        return after

    def _read(self, stmt: ir.Stmt, before: int) -> None:
        for expr in expressions(stmt):
            for var in variables(expr):
                if not before & self._bit(var.name):
                    self.unset.add(var.name)


def _meet(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return one & other
