"""Statements become statements of the IR, in the order of P4's evaluation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

from p4xdp.diagnostics import InternalError, Span, fail
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import calls, expressions, loops, operators, places, tables
from p4xdp.frontend.elaborate.atomic import atomic
from p4xdp.frontend.elaborate.effects import Value, ends, in_order
from p4xdp.frontend.elaborate.instances import instantiate
from p4xdp.frontend.elaborate.storage import allocate
from p4xdp.frontend.elaborate.trees import Tree
from p4xdp.frontend.elaborate.walk import Env, Place, Walk
from p4xdp.midend import ir


def guarded(walk: Walk, env: Env, statement: typed.Statement) -> None:
    """Emit a statement; an error in it is noted and the walk goes on behind it."""
    with walk.noting():
        run(walk, env, statement)


def run_all(walk: Walk, env: Env, statements: Sequence[typed.Statement]) -> None:
    """Emit statements up to one that control does not come out of."""
    for statement in statements:
        if ends(walk.body):
            return
        guarded(walk, env, statement)


def run(walk: Walk, env: Env, statement: typed.Statement) -> None:
    """Emit one statement; raises CompileError for what cannot be carried."""
    match statement:
        case typed.Assign():
            _assign(walk, env, statement)
        case typed.Declare(declaration=declaration):
            declare(walk, env, declaration)
        case typed.Evaluate(call=call):
            _evaluate(walk, env, call)
        case typed.Block():
            _block(walk, env, statement)
        case typed.If():
            _if(walk, env, statement)
        case typed.ActionSwitch():
            tables.action_switch(walk, env, statement)
        case typed.ValueSwitch():
            _value_switch(walk, env, statement)
        case typed.Exit(span=span):
            _exit(walk, span)
        case typed.Return():
            _return(walk, env, statement)
        case typed.For() | typed.ForIn():
            loops.loop(walk, env, statement)
        case typed.Break(span=span):
            walk.emit(ir.Leave(_loop(walk, span)[0], span))
        case typed.Continue(span=span):
            walk.emit(ir.Leave(_loop(walk, span)[1], span))
        case _:
            assert_never(statement)


def body_of(walk: Walk, env: Env, statement: typed.Statement | None) -> ir.Body:
    """Return the statements of a branch."""
    with walk.collect() as body:
        if statement is not None:
            guarded(walk, env, statement)
    return tuple(body)


def _assign(walk: Walk, env: Env, statement: typed.Assign) -> None:
    target, op, span = statement.target, statement.op, statement.span

    def destination() -> Value:
        place = expressions.resolve(walk, env, target)
        return place if op is None else (place, places.read(walk, place, span))

    left, right = in_order(
        walk, span, [destination, lambda: expressions.evaluate(walk, env, statement.value)]
    )
    if ends(walk.body):
        return
    value = expressions.as_tree(right)
    match left:
        case Place() as place:
            places.write(walk, place, value, span)
        case (Place() as place, old) if op is not None:
            result = operators.checked_binary(op, old, value, target.type, span)
            places.write(walk, place, result, span)
        case _:
            raise InternalError("elaborate", f"{left} is no place", span)


def declare(
    walk: Walk, env: Env, declaration: typed.Variable | typed.Constant | typed.Instance
) -> None:
    """Bring a local variable, constant or instance into being."""
    match declaration:
        case typed.Variable():
            _declare_variable(walk, env, declaration)
        case typed.Constant(value=value):
            env.bindings[declaration] = expressions.evaluate(walk, env, value)
        case typed.Instance():
            block = env.root.block
            made = walk.globals if block is None else block.children
            if declaration not in made:
                path = "" if block is None else block.path
                made[declaration] = instantiate(walk, env, declaration, path)
            env.bindings[declaration] = made[declaration]


def _declare_variable(walk: Walk, env: Env, variable: typed.Variable) -> None:
    """A fresh variable is unset by itself; the states of a parser may come back to one."""
    storage = _local_storage(walk, env, variable)
    env.bindings[variable] = storage
    if variable.initial is not None:
        value = expressions.evaluate(walk, env, variable.initial)
        if not ends(walk.body):
            places.store(walk, storage, value, variable.span)
    elif walk.in_parser:
        places.reset(walk, storage, variable.span)


def _local_storage(walk: Walk, env: Env, variable: typed.Variable) -> Tree:
    if walk.in_parser and variable in env.bindings:
        return expressions.storage_of(walk, env, variable)
    return allocate(walk.names, variable.type, variable.name, variable.span)


def _evaluate(walk: Walk, env: Env, call: typed.Call | typed.TableResult) -> None:
    match call:
        case typed.TableResult(apply=apply):
            tables.apply(walk, env, apply)
        case typed.Call():
            calls.call(walk, env, call)


def _block(walk: Walk, env: Env, block: typed.Block) -> None:
    with atomic(walk, block.annotations, block.span):
        run_all(walk, env, block.statements)


def _if(walk: Walk, env: Env, statement: typed.If) -> None:
    condition = expressions.scalar(walk, env, statement.condition)
    if ends(walk.body):
        return
    if isinstance(condition, ir.Const):
        chosen = statement.then if condition.value else statement.otherwise
        if chosen is not None:
            guarded(walk, env, chosen)
        return
    then, otherwise = branches(
        walk,
        [
            lambda: body_of(walk, env, statement.then),
            lambda: body_of(walk, env, statement.otherwise),
        ],
        statement.span,
    )
    if then or otherwise:
        walk.emit(ir.If(condition, then, otherwise, statement.span))


def branches(walk: Walk, makers: Sequence[Callable[[], ir.Body]], span: Span) -> list[ir.Body]:
    """Return the bodies of branches that meet again; they must leave every stack's nextIndex
    alike, as it is known at compile time."""
    before = dict(walk.next_index)
    after: list[dict[str, int]] = []
    bodies = []
    for make in makers:
        walk.next_index = dict(before)
        body = make()
        bodies.append(body)
        if not ends(body):
            after.append(walk.next_index)
    walk.next_index = after[0] if after else before
    if walk.in_parser and any(_differ(index, after[0]) for index in after):
        raise fail(
            "unsupported",
            span,
            "the branches of this statement leave a header stack at different places",
            help="use a parser state for each branch",
        )
    return bodies


def _differ(left: dict[str, int], right: dict[str, int]) -> bool:
    return any(left.get(name, 0) != right.get(name, 0) for name in left.keys() | right.keys())


def _value_switch(walk: Walk, env: Env, statement: typed.ValueSwitch) -> None:
    selector = expressions.scalar(walk, env, statement.selector)
    if ends(walk.body):
        return
    labels = [
        [None if label is None else _label(walk, env, label) for label in case.labels]
        for case in statement.cases
    ]
    if isinstance(selector, ir.Const):
        chosen = next((i for i, some in enumerate(labels) if selector.value in some), None)
        if chosen is None:
            chosen = next((i for i, some in enumerate(labels) if None in some), None)
        if chosen is not None:
            walk.body.extend(body_of(walk, env, statement.cases[chosen].body))
        return
    emit_switch(walk, env, selector, labels, [case.body for case in statement.cases], statement)


def _label(walk: Walk, env: Env, label: typed.Expression) -> int:
    value = expressions.scalar(walk, env, label)
    if not isinstance(value, ir.Const):
        raise InternalError("elaborate", "a switch label that is not known", label.span)
    return value.value


def emit_switch(
    walk: Walk,
    env: Env,
    selector: ir.Expr,
    labels: Sequence[Sequence[int | None]],
    blocks: Sequence[typed.Block | None],
    statement: typed.ValueSwitch | typed.ActionSwitch,
) -> None:
    """Emit a switch; None among the labels is `default`."""

    def maker(block: typed.Block | None) -> Callable[[], ir.Body]:
        return lambda: body_of(walk, env, block)

    bodies = branches(walk, [maker(block) for block in blocks], statement.span)
    default: ir.Body = ()
    cases = []
    for some, body in zip(labels, bodies, strict=True):
        values = tuple(label for label in some if label is not None)
        if None in some:
            default = body
        elif values:
            cases.append(ir.SwitchCase(values, body))
    walk.emit(ir.Switch(selector, tuple(cases), default, statement.span))


# Jumps


def _exit(walk: Walk, span: Span) -> None:
    """Leave all controls; every call in progress copies out, the innermost first."""
    for call in reversed(walk.calls):
        calls.copy_out(walk, call)
    walk.emit(ir.Leave(walk.calls[0].label, span))


def _return(walk: Walk, env: Env, statement: typed.Return) -> None:
    call = walk.calls[-1]
    if statement.value is not None and call.result is not None:
        value = expressions.evaluate(walk, env, statement.value)
        if ends(walk.body):
            return
        places.store(walk, call.result, value, statement.span)
    walk.emit(ir.Leave(call.label, statement.span))


def _loop(walk: Walk, span: Span) -> tuple[str, str]:
    around = walk.calls[-1].loops
    if not around:
        raise InternalError("elaborate", "a jump outside of any loop", span)
    return around[-1]
