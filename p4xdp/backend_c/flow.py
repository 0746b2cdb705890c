"""What the statements of a body read and assign, and where control can go."""

from __future__ import annotations

from p4xdp.midend import ir
from p4xdp.midend.rewrite import bodies, expressions, leaves, targets, variables, walk
from p4xdp.records import dataclass, field

XDP_REDIRECT = 4


def may_redirect(verdict: ir.Expr) -> bool:
    """Tell whether a verdict can be XDP_REDIRECT, so that the port counts."""
    match verdict:
        case ir.Const(value=value):
            return value == XDP_REDIRECT
        case ir.Mux(then=then, otherwise=otherwise):
            return may_redirect(then) or may_redirect(otherwise)
    return ir.width_of(verdict) != ir.BOOL


def used_expressions(stmt: ir.Stmt) -> tuple[ir.Expr, ...]:
    """Return the expressions of a statement that show in the C."""
    if isinstance(stmt, ir.Finish) and not may_redirect(stmt.verdict):
        return (stmt.verdict,)
    return expressions(stmt)


def needed_variables(body: ir.Body) -> frozenset[str]:
    """Return the variables whose values reach something other than an assignment to a variable
    that nobody needs."""
    needed: set[str] = set()
    feeds: dict[str, set[str]] = {}
    for stmt in walk(body):
        read = {var.name for expr in used_expressions(stmt) for var in variables(expr)}
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
    return all(_passes(stmt) for stmt in reversed(body))


def _passes(stmt: ir.Stmt) -> bool:
    match stmt:
        case ir.Finish() | ir.Leave() | ir.GoOn():
            return False
        case ir.Scope(label=label, body=body):
            return falls_through(body) or leaves(body, label)
        case ir.If(then=then, otherwise=otherwise):
            return falls_through(then) or falls_through(otherwise)
        case ir.Switch(cases=cases, default=default):
            return falls_through(default) or any(falls_through(case.body) for case in cases)
        case ir.Apply(arms=arms):
            return not arms or any(falls_through(arm.body) for arm in arms)
    return True


@dataclass(slots=True)
class Assigned:
    """One walk along the jumps: which variables may be read before they are assigned.

    Sets of variables are bit masks over `bits`; None stands for a place that is never reached.
    """

    needed: frozenset[str]
    unset: set[str] = field(default_factory=set)
    _bits: dict[str, int] = field(default_factory=dict)
    _at_labels: dict[str, int | None] = field(default_factory=dict)

    def follow(self, body: ir.Body, before: int | None = 0) -> int | None:
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
            case ir.Finish() | ir.GoOn():
                return None
            case ir.Leave(label=label):
                self._at_labels[label] = _meet(self._at_labels.get(label), before)
                return None
            case ir.Scope(label=label, body=body):
                after = self.follow(body, before)
                return _meet(after, self._at_labels.pop(label, None))
            case ir.Apply(arms=arms):
                return self._arms(arms, before)
            case ir.Check(fail=fail) | ir.AdjustHead(fail=fail):
                self.follow(fail, before)
                return before
            case ir.If() | ir.Switch():
                after = None
                for body in bodies(stmt):
                    after = _meet(after, self.follow(body, before))
                return after
        return before

    def _arms(self, arms: tuple[ir.ActionArm, ...], before: int) -> int | None:
        after = None if arms else before
        for arm in arms:
            inside = before
            for var in arm.data:
                inside |= self._bit(var.name)
            after = _meet(after, self.follow(arm.body, inside))
        return after

    def _read(self, stmt: ir.Stmt, before: int) -> None:
        for expr in used_expressions(stmt):
            for var in variables(expr):
                if not before & self._bit(var.name):
                    self.unset.add(var.name)


def _meet(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return one & other
