"""What statements set and expressions read, to keep P4's order of evaluation.

Operands are evaluated left to right. The value of an early one is an expression over variables
and may stay one, unless the statements of a later operand assign one of those variables: then it
is saved before them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from p4xdp.diagnostics import Span
from p4xdp.frontend.elaborate.trees import Tree, leaves, map_leaves
from p4xdp.frontend.elaborate.walk import Bits, Place, Walk
from p4xdp.midend import ir
from p4xdp.midend.rewrite import operands
from p4xdp.records import replace


def mentions(expr: ir.Expr) -> Iterator[str]:
    """Yield the names of the variables that an expression reads."""
    pending = [expr]
    while pending:
        node = pending.pop()
        if isinstance(node, ir.Var):
            yield node.name
        else:
            pending.extend(reversed(operands(node)))


def tree_mentions(tree: Tree | None) -> set[str]:
    if tree is None:
        return set()
    return {name for expr in leaves(tree) for name in mentions(expr)}


def assigned(walk: Walk, body: Iterable[ir.Stmt]) -> set[str]:
    """Return the names of all variables that `body` may set."""
    names: set[str] = set()
    for statement in body:
        names |= _assigned_by(walk, statement)
    return names


def _assigned_by(walk: Walk, statement: ir.Stmt) -> set[str]:
    match statement:
        case ir.Assign(target=target) | ir.PacketLength(target=target):
            return {target.name}
        case ir.If(then=then, otherwise=otherwise):
            return assigned(walk, then) | assigned(walk, otherwise)
        case ir.Switch(cases=cases, default=default):
            bodies = [case.body for case in cases]
            return assigned(walk, default).union(*(assigned(walk, body) for body in bodies))
        case ir.Scope(body=body):
            return assigned(walk, body)
        case ir.Apply(arms=arms):
            return {v.name for v in (statement.hit, statement.action_run) if v}.union(
                *(assigned(walk, arm.body) for arm in arms),
                *({var.name for var in arm.data} for arm in arms),
            )
        case ir.Effect(result=result):
            return {result.name} if result else set()
        case ir.Lookahead(peeks=peeks):
            return {peek.target.name for peek in peeks}
        case ir.Extract(header=name):
            header = walk.headers[name]
            size = {header.size.name} if header.size else set()
            return {header.valid.name, *(field.var.name for field in header.fields)} | size
        case _:
            return set()


def bodies_of(statement: ir.Stmt) -> Sequence[ir.Body]:
    """Return the bodies of a statement that may be run under a condition."""
    match statement:
        case ir.If(then=then, otherwise=otherwise):
            return (then, otherwise)
        case ir.Switch(cases=cases, default=default):
            return (default, *(case.body for case in cases))
        case ir.Scope(body=body):
            return (body,)
        case _:
            return ()


Value = Tree | Place | tuple[Place, Tree] | None


def in_order(walk: Walk, span: Span, steps: Sequence[Callable[[], Value]]) -> list[Value]:
    """Run the steps, which emit statements and return values, so that each value is that of its
    turn: what a later step's statements change is saved before them."""
    done: list[Value] = []
    for step in steps:
        with walk.collect() as later:
            value = step()
        if later and done:
            changed = assigned(walk, later)
            done = [_kept(walk, early, changed, span) for early in done]
        walk.body.extend(later)
        done.append(value)
    return done


def _kept(walk: Walk, value: Value, changed: set[str], span: Span) -> Value:
    match value:
        case None:
            return None
        case Place():
            return kept_place(walk, value, changed, span)
        case (Place() as place, tree):
            return (
                kept_place(walk, place, changed, span),
                kept_tree(walk, tree, changed, span),
            )
        case _:
            return kept_tree(walk, value, changed, span)


def kept_tree(walk: Walk, tree: Tree, changed: set[str], span: Span) -> Tree:
    """Return the value with every scalar saved that reads something in `changed`."""
    if not tree_mentions(tree) & changed:
        return tree
    return map_leaves(tree, lambda expr: _kept_scalar(walk, expr, changed, span))


def _kept_scalar(walk: Walk, expr: ir.Expr, changed: set[str], span: Span) -> ir.Expr:
    return walk.saved(expr, span) if changed.intersection(mentions(expr)) else expr


def kept_place(walk: Walk, place: Place, changed: set[str], span: Span) -> Place:
    """Return the place with its run-time indices saved where they read something in `changed`."""
    selector = place.selector
    if selector is not None:
        selector = _kept_scalar(walk, selector, changed, span)
    bits = tuple(_kept_bits(walk, part, changed, span) for part in place.bits)
    return replace(place, selector=selector, bits=bits)


def _kept_bits(walk: Walk, bits: Bits, changed: set[str], span: Span) -> Bits:
    if isinstance(bits.low, int):
        return bits
    return Bits(_kept_scalar(walk, bits.low, changed, span), bits.width)


# Control flow


def ends(body: Sequence[ir.Stmt]) -> bool:
    """Return whether control never comes out at the end of `body`."""
    if not body:
        return False
    match body[-1]:
        case ir.Leave() | ir.Reject() | ir.Finish():
            return True
        case ir.If(then=then, otherwise=otherwise):
            return ends(then) and ends(otherwise)
        case ir.Switch(cases=cases, default=default):
            return ends(default) and all(ends(case.body) for case in cases)
        case _:
            return False


def leaves_to(body: Sequence[ir.Stmt], label: str) -> bool:
    """Return whether a `Leave(label)` stands in `body`."""
    return any(_leaves_to(statement, label) for statement in body)


def _leaves_to(statement: ir.Stmt, label: str) -> bool:
    match statement:
        case ir.Leave(label=name):
            return name == label
        case ir.If(then=then, otherwise=otherwise):
            return leaves_to(then, label) or leaves_to(otherwise, label)
        case ir.Switch(cases=cases, default=default):
            return leaves_to(default, label) or any(leaves_to(c.body, label) for c in cases)
        case ir.Scope(body=body):
            return leaves_to(body, label)
        case ir.Apply(arms=arms):
            return any(leaves_to(arm.body, label) for arm in arms)
        case _:
            return False


def scoped(label: str, body: Sequence[ir.Stmt]) -> ir.Body:
    """Return `body` as the scope that `Leave(label)` leaves; without it where nothing does."""
    trimmed = _without_last_jump(tuple(body), label)
    return (ir.Scope(label, trimmed),) if leaves_to(trimmed, label) else trimmed


def _without_last_jump(body: ir.Body, label: str) -> ir.Body:
    """Drop jumps to where control goes anyway."""
    if not body:
        return body
    *before, last = body
    match last:
        case ir.Leave(label=name) if name == label:
            return _without_last_jump(tuple(before), label)
        case ir.If():
            last = replace(
                last,
                then=_without_last_jump(last.then, label),
                otherwise=_without_last_jump(last.otherwise, label),
            )
        case ir.Switch():
            cases = tuple(
                replace(case, body=_without_last_jump(case.body, label)) for case in last.cases
            )
            last = replace(last, cases=cases, default=_without_last_jump(last.default, label))
        case ir.Apply():
            arms = tuple(replace(a, body=_without_last_jump(a.body, label)) for a in last.arms)
            last = replace(last, arms=arms)
        case ir.Scope():
            last = replace(last, body=_without_last_jump(last.body, label))
    return (*before, last)
