"""Walk and rebuild IR: the only module that knows which node has which children.

In and out: expressions, statements, bodies, programs. A rebuilt node is the same object when
nothing below it changed, so that `is` tells whether a pass did anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import is_
from typing import TypeVar, assert_never

from p4xdp.midend.ir import (
    ActionArm,
    AdjustHead,
    Advance,
    Apply,
    Assign,
    Binary,
    Body,
    Check,
    Concat,
    Const,
    Effect,
    Emit,
    Expr,
    Extend,
    Extract,
    Finish,
    GoOn,
    If,
    Leave,
    Load,
    Lookahead,
    Mux,
    PacketLength,
    Pipeline,
    Program,
    Pure,
    Reject,
    Scope,
    SetPointer,
    Slice,
    State,
    Stmt,
    Store,
    Switch,
    SwitchCase,
    Trace,
    Transition,
    Unary,
    Var,
    pipelines,
)
from p4xdp.records import replace

NO_LABELS: frozenset[str] = frozenset()

# Tables by type: these four are asked for every node of every round, and a chain of cases is slow.

Node = TypeVar("Node")

AnyPipeline = TypeVar("AnyPipeline", Program, Pipeline)


def _nothing(node: object) -> tuple[()]:
    return ()


_OPERANDS: dict[type, Callable[..., tuple[Expr, ...]]] = {
    Const: _nothing,
    Var: _nothing,
    Load: _nothing,
    Binary: lambda expr: (expr.left, expr.right),
    Concat: lambda expr: (expr.left, expr.right),
    Unary: lambda expr: (expr.operand,),
    Slice: lambda expr: (expr.base,),
    Extend: lambda expr: (expr.base,),
    Mux: lambda expr: (expr.condition, expr.then, expr.otherwise),
    Pure: lambda expr: expr.arguments,
}

_EXPRESSIONS: dict[type, Callable[..., tuple[Expr, ...]]] = {
    Assign: lambda stmt: (stmt.value,),
    Store: lambda stmt: (stmt.value,),
    If: lambda stmt: (stmt.condition,),
    Switch: lambda stmt: (stmt.selector,),
    Apply: lambda stmt: stmt.keys,
    Effect: lambda stmt: stmt.arguments,
    Trace: lambda stmt: stmt.values,
    Finish: lambda stmt: (stmt.verdict,) if stmt.port is None else (stmt.verdict, stmt.port),
    Advance: lambda stmt: (stmt.amount,),
    SetPointer: lambda stmt: () if stmt.amount is None else (stmt.amount,),
    Reject: lambda stmt: (stmt.error,),
    AdjustHead: lambda stmt: (stmt.growth,),
    Scope: _nothing,
    Leave: _nothing,
    Extract: lambda stmt: () if stmt.size is None else (stmt.size,),
    Lookahead: _nothing,
    PacketLength: _nothing,
    Emit: _nothing,
    Check: _nothing,
    GoOn: _nothing,
}

_BODIES: dict[type, Callable[..., tuple[Body, ...]]] = {
    If: lambda stmt: (stmt.then, stmt.otherwise),
    Switch: lambda stmt: (*[case.body for case in stmt.cases], stmt.default),
    Scope: lambda stmt: (stmt.body,),
    Apply: lambda stmt: tuple([arm.body for arm in stmt.arms]),
    Check: lambda stmt: (stmt.fail,),
    AdjustHead: lambda stmt: (stmt.fail,),
}

_TARGETS: dict[type, Callable[..., tuple[Var, ...]]] = dict.fromkeys(_EXPRESSIONS, _nothing) | {
    Assign: lambda stmt: (stmt.target,),
    PacketLength: lambda stmt: (stmt.target,),
    Lookahead: lambda stmt: tuple([peek.target for peek in stmt.peeks]),
    Apply: lambda stmt: tuple([var for var in (stmt.hit, stmt.action_run) if var is not None]),
    Effect: lambda stmt: (
        stmt.given_back if stmt.result is None else (stmt.result, *stmt.given_back)
    ),
}


def same(one: Sequence[Node], other: Sequence[Node]) -> bool:
    """Tell whether both hold the same objects."""
    return len(one) == len(other) and all(map(is_, one, other))


# Expressions


def operands(expr: Expr) -> tuple[Expr, ...]:
    """Return the expressions directly below `expr`."""
    return _OPERANDS[type(expr)](expr)


def map_operands(expr: Expr, function: Callable[[Expr], Expr]) -> Expr:
    """Return `expr` with `function` applied to each expression directly below it."""
    old = operands(expr)
    if not old:
        return expr
    new = tuple([function(operand) for operand in old])
    if same(old, new):
        return expr
    return _with_operands(expr, new)


def _with_operands(expr: Expr, new: tuple[Expr, ...]) -> Expr:
    match expr:
        case Const() | Var() | Load():
            return expr
        case Binary(op=binary):
            return Binary(binary, new[0], new[1])
        case Concat():
            return Concat(new[0], new[1])
        case Unary(op=unary):
            return Unary(unary, new[0])
        case Slice(high=high, low=low):
            return Slice(new[0], high, low)
        case Extend(width=width, signed=signed):
            return Extend(new[0], width, signed)
        case Mux():
            return Mux(new[0], new[1], new[2])
        case Pure(name=name, width=width):
            return Pure(name, new, width)
        case _:
            assert_never(expr)


def rewrite(expr: Expr, function: Callable[[Expr], Expr]) -> Expr:
    """Rebuild `expr` from its leaves up, each node replaced by `function(node)`."""
    old = operands(expr)
    if not old:
        return function(expr)
    new = tuple([rewrite(operand, function) for operand in old])
    return function(expr if same(old, new) else _with_operands(expr, new))


def walk_expression(expr: Expr) -> Iterator[Expr]:
    """Yield `expr` and everything below it."""
    stack = [expr]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(operands(top))


def variables(expr: Expr) -> list[Var]:
    """Return the variables that `expr` reads, each as often as it stands there."""
    found = []
    pending = [expr]
    while pending:
        node = pending.pop()
        if isinstance(node, Var):
            found.append(node)
        else:
            pending.extend(reversed(operands(node)))
    return found


# Statements


def expressions(stmt: Stmt) -> tuple[Expr, ...]:
    """Return the expressions that the statement evaluates itself, not those in its bodies."""
    return _EXPRESSIONS[type(stmt)](stmt)


def map_expressions(stmt: Stmt, function: Callable[[Expr], Expr]) -> Stmt:
    """Return the statement with `function` applied to each of `expressions(stmt)`."""
    old = expressions(stmt)
    if not old:
        return stmt
    new = tuple([function(expr) for expr in old])
    if same(old, new):
        return stmt
    return _with_expressions(stmt, new)


def _with_expressions(stmt: Stmt, new: tuple[Expr, ...]) -> Stmt:
    match stmt:
        case Assign() | Store():
            return replace(stmt, value=new[0])
        case If():
            return replace(stmt, condition=new[0])
        case Switch():
            return replace(stmt, selector=new[0])
        case Apply():
            return replace(stmt, keys=new)
        case Effect():
            return replace(stmt, arguments=new)
        case Trace():
            return replace(stmt, values=new)
        case Finish():
            return replace(stmt, verdict=new[0], port=new[1] if len(new) > 1 else None)
        case Advance() | SetPointer():
            return replace(stmt, amount=new[0])
        case Reject():
            return replace(stmt, error=new[0])
        case AdjustHead():
            return replace(stmt, growth=new[0])
        case Extract():
            return replace(stmt, size=new[0])
        case Scope() | Leave() | Lookahead() | PacketLength() | Emit() | Check() | GoOn():
            return stmt
        case _:
            assert_never(stmt)


def bodies(stmt: Stmt) -> tuple[Body, ...]:
    """Return the statement lists directly inside the statement."""
    inside = _BODIES.get(type(stmt))
    return inside(stmt) if inside else ()


def map_bodies(stmt: Stmt, function: Callable[[Body], Body]) -> Stmt:
    """Return the statement with `function` applied to each of `bodies(stmt)`."""
    inside = _BODIES.get(type(stmt))
    if not inside:
        return stmt
    old = inside(stmt)
    new = tuple([function(body) for body in old])
    if same(old, new):
        return stmt
    return with_bodies(stmt, new)


def with_bodies(stmt: Stmt, new: tuple[Body, ...]) -> Stmt:
    """Return the statement with other bodies, in the order of `bodies(stmt)`."""
    match stmt:
        case If():
            return replace(stmt, then=new[0], otherwise=new[1])
        case Switch(cases=cases):
            pairs = zip(cases, new[:-1], strict=True)
            changed = tuple(SwitchCase(case.values, body) for case, body in pairs)
            return replace(stmt, cases=changed, default=new[-1])
        case Scope(label=label):
            return Scope(label, new[0])
        case Apply(arms=arms):
            both = zip(arms, new, strict=True)
            return replace(stmt, arms=tuple(ActionArm(a.index, a.data, body) for a, body in both))
        case Check() | AdjustHead():
            return replace(stmt, fail=new[0])
        case _:
            return stmt


def targets(stmt: Stmt) -> tuple[Var, ...]:
    """Return the variables that the statement itself sets (`Extract` and arm data excepted)."""
    return _TARGETS[type(stmt)](stmt)


def map_statements(body: Body, function: Callable[[Stmt], Body]) -> Body:
    """Rebuild a body from the innermost statements up; `function` gives what replaces each."""
    new: list[Stmt] = []
    same = True
    for stmt in body:
        inner = map_bodies(stmt, lambda nested: map_statements(nested, function))
        result = function(inner)
        same = same and len(result) == 1 and result[0] is stmt
        new.extend(result)
    return body if same else tuple(new)


def walk(body: Body) -> Iterator[Stmt]:
    """Yield every statement of the body and of the bodies inside, outer ones first."""
    stack = list(reversed(body))
    while stack:
        stmt = stack.pop()
        yield stmt
        inside = _BODIES.get(type(stmt))
        if inside:
            for inner in reversed(inside(stmt)):
                stack.extend(reversed(inner))


def map_body_expressions(body: Body, function: Callable[[Expr], Expr]) -> Body:
    """Apply `function` to every whole expression of the body and of the bodies inside."""
    return map_statements(body, lambda stmt: (map_expressions(stmt, function),))


# Control flow


def ends(body: Body) -> bool:
    """Tell whether control never comes out behind the body by falling through."""
    return bool(body) and _stmt_ends(body[-1])


def _stmt_ends(stmt: Stmt) -> bool:
    match stmt:
        case Finish() | Leave() | Reject() | GoOn():
            return True
        case If() | Switch() | Apply() | Scope():
            if stmt.ends is None:
                object.__setattr__(stmt, "ends", _branches_end(stmt))
            return stmt.ends is True
        case _:
            return False


def _branches_end(stmt: If | Switch | Apply | Scope) -> bool:
    if isinstance(stmt, Scope):
        return ends(stmt.body) and not leaves(stmt.body, stmt.label)
    inner = bodies(stmt)
    return bool(inner) and all(map(ends, inner))


def only_open(stmt: Stmt) -> int | None:
    """Return which of the statement's branches goes on, if it is an `if`, a `switch` or an `apply`
    of which just one does."""
    if not isinstance(stmt, If | Switch | Apply):
        return None
    going_on = [index for index, body in enumerate(bodies(stmt)) if not ends(body)]
    return going_on[0] if len(going_on) == 1 else None


def leaves(body: Body, label: str) -> bool:
    """Tell whether the body holds a `Leave` to the label."""
    return any(label in labels_left(stmt) for stmt in body)


def labels_left(stmt: Stmt) -> frozenset[str]:
    """Return the labels outside of the statement that control may go to from inside."""
    match stmt:
        case Leave(label=label):
            return frozenset((label,))
        case If() | Switch() | Apply() | Scope():
            if stmt.left is None:
                object.__setattr__(stmt, "left", _labels_left(stmt))
            return stmt.left or NO_LABELS
        case _:
            return _labels_left(stmt)


def _labels_left(stmt: Stmt) -> frozenset[str]:
    inside = [labels_left(inner) for body in bodies(stmt) for inner in body]
    left = NO_LABELS.union(*inside) if inside else NO_LABELS
    return left - {stmt.label} if isinstance(stmt, Scope) else left


# Programs


def program_bodies(program: Program) -> tuple[Body, ...]:
    """Return every top-level statement list of the program."""
    found: list[Body] = []
    for one in pipelines(program):
        found += (state.body for state in one.parser)
        found += (one.control, one.deparser, one.departure)
    return (*found, program.body)


def map_program(program: Program, function: Callable[[Body], Body]) -> Program:
    """Return the program with `function` applied to every top-level statement list."""
    mapped = _map_pipeline(program, function)
    further = tuple(_map_pipeline(one, function) for one in program.further)
    return replace(mapped, further=further, body=function(program.body))


def _map_pipeline(one: AnyPipeline, function: Callable[[Body], Body]) -> AnyPipeline:
    return replace(
        one,
        parser=tuple(_map_state(state, function) for state in one.parser),
        control=function(one.control),
        deparser=function(one.deparser),
        departure=function(one.departure),
    )


def map_states(program: Program, function: Callable[[State], State]) -> Program:
    """Return the flat program with `function` applied to the states of every parser."""
    further = tuple(
        replace(one, parser=tuple(map(function, one.parser))) for one in program.further
    )
    return replace(program, parser=tuple(map(function, program.parser)), further=further)


def _map_state(state: State, function: Callable[[Body], Body]) -> State:
    body = function(state.body)
    return state if body is state.body else replace(state, body=body)


def map_program_expressions(program: Program, function: Callable[[Expr], Expr]) -> Program:
    """Apply `function` to every whole expression of the program, select keys included."""

    def with_keys(state: State) -> State:
        keys = tuple(function(key) for key in state.transition.keys)
        old = state.transition
        return replace(state, transition=Transition(keys, old.cases, old.span))

    mapped = map_program(program, lambda body: map_body_expressions(body, function))
    return map_states(mapped, with_keys)
