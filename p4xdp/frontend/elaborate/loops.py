"""`for` loops are unrolled (section 12.8).

A variable that only the loop's update changes is a constant in each iteration. Where the end is a
run-time value, each iteration is taken under the loop's condition, as long as the constants show
that there is a last one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from p4xdp.diagnostics import CompileError, InternalError, Span, fail
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import calls, expressions, fold, places, statements
from p4xdp.frontend.elaborate.effects import ends, scoped
from p4xdp.frontend.elaborate.loop_bounds import most_turns, stepping
from p4xdp.frontend.elaborate.operators import apply_binary, conjunction
from p4xdp.frontend.elaborate.storage import allocate
from p4xdp.frontend.elaborate.traverse import reached
from p4xdp.frontend.elaborate.trees import (
    Known,
    Record,
    StackTree,
    Tree,
    is_signed,
    leaf,
    number_of,
)
from p4xdp.frontend.elaborate.walk import Bound, Env, Walk
from p4xdp.midend import ir

MAX_ITERATIONS = 1024
"""How often the body of a `for` loop is repeated at most."""

MAX_COPIES = 2048
"""How many iterations of all loops together a program may be unrolled to."""


def loop(walk: Walk, env: Env, statement: typed.For | typed.ForIn) -> None:
    """Emit the iterations of a loop one after the other."""
    after = calls.new_label(walk, "loop")
    with walk.collect() as body:
        if isinstance(statement, typed.For):
            _for(walk, env, statement, after)
        else:
            _for_in(walk, env, statement, after)
    walk.body.extend(scoped(after, body))


def _iteration(walk: Walk, env: Env, body: typed.Statement, after: str) -> None:
    walk.iterations += 1
    if walk.iterations > MAX_COPIES + 1:
        raise CompileError(())  # said already
    if walk.iterations > MAX_COPIES:
        raise _too_many(body.span)
    again = calls.new_label(walk, "iteration")
    loops = walk.calls[-1].loops
    loops.append((after, again))
    with walk.collect() as emitted:
        statements.guarded(walk, env, body)
    loops.pop()
    walk.body.extend(scoped(again, emitted))


def _not_known(span: Span) -> CompileError:
    return fail(
        "unsupported",
        span,
        "how often this loop runs at most is not known at compile time",
        help="count up to a constant with a variable that only the update changes, and leave "
        "earlier: `for (bit<8> i = 0; i < 16; i = i + 1) { if (i == n) { break; } … }`",
    )


def _too_long(span: Span) -> CompileError:
    text = f"this loop may run more than {MAX_ITERATIONS} times"
    help = f"give it a bound of {MAX_ITERATIONS} or less; loops are unrolled"
    return fail("loop-too-long", span, text, help=help)


def _too_many(span: Span) -> CompileError:
    return fail(
        "loop-too-long",
        span,
        f"the loops of this program may run more than {MAX_COPIES} times together",
        help="give them smaller bounds",
    )


def _is_written(variable: typed.Variable, body: typed.Statement) -> bool:
    """Whether a body, or what it calls, assigns the variable or passes it to a call that may."""
    for node in reached(body):
        match node:
            case typed.Assign(target=target) if _root(target) is variable:
                return True
            case typed.Call(callee=callee, arguments=given):
                if any(_root(one) is variable for one in _written(_parameters(callee), given)):
                    return True
            case typed.TableAction(action=action, arguments=bound):
                parameters = action.parameters[: len(bound)]
                if any(_root(one) is variable for one in _written(parameters, bound)):
                    return True
    return False


def _written(
    parameters: tuple[typed.Parameter, ...] | None, arguments: Sequence[typed.Expression | None]
) -> Iterator[typed.Expression]:
    """Yield the arguments that a call may write to, all when its parameters are not known."""
    directions = [p.direction for p in parameters] if parameters else ["out"] * len(arguments)
    for direction, given in zip(directions, arguments, strict=True):
        if given is not None and direction in ("out", "inout"):
            yield given


def _parameters(callee: typed.Callee) -> tuple[typed.Parameter, ...] | None:
    """Return the parameters of what is called, None where they are not known."""
    match callee:
        case typed.FunctionCallee(function=function):
            return function.parameters
        case typed.ExternFunctionCallee(function=declared):
            return declared.parameters
        case typed.ActionCallee(action=action):
            return action.parameters
        case typed.MethodCallee(method=method):
            return method.parameters
        case typed.ApplyCallee(block=block) if block is not None:
            return block.parameters
        case _:
            return None


def _root(expr: typed.Expression) -> object:
    match expr:
        case typed.Ref(declaration=declaration):
            return declaration
        case typed.Field(base=base) | typed.Slice(base=base) | typed.StackIndex(base=base):
            return _root(base)
        case typed.DynamicSlice(base=base) | typed.TupleIndex(base=base):
            return _root(base)
        case _:
            return None


# for (init; condition; update)


def _for(walk: Walk, env: Env, statement: typed.For, after: str) -> None:
    most = _most_turns(statement)
    counters = _counters(statement)
    outer = {counter: env.find(counter) for counter in counters}
    own = {counter for counter in counters if counter in env.bindings}
    for first in statement.init:
        statements.run(walk, env, first)
    firsts = _first_values(walk, env, counters, most)
    storage = {counter: outer[counter] for counter in firsts}
    for counter, value in firsts.items():
        env.bindings[counter] = value
    try:
        _iterations(walk, env, statement, after, storage, most)
    finally:
        for counter, before in storage.items():
            if counter in own and before is not None:
                env.bindings[counter] = before
            else:
                del env.bindings[counter]


Counters = Mapping[typed.Variable, Bound | None]
"""The variables that are constants in each iteration; the storage of those that live on."""


def _most_turns(statement: typed.For) -> int | None:
    """Return how often the loop runs at most wherever it starts, None where that is not known."""
    compared = stepping(statement.condition)
    if any(_is_written(variable, statement.body) for variable in compared):
        return None
    return most_turns(statement.condition, statement.update)


def _first_values(
    walk: Walk,
    env: Env,
    counters: Mapping[typed.Variable, typed.Expression],
    most: int | None,
) -> dict[typed.Variable, ir.Const | Known]:
    """Return the values that counters start with; without those of run time where the loop is
    bounded all the same."""
    firsts = {}
    for counter, expr in counters.items():
        with walk.collect() as effects:
            value = expressions.evaluate(walk, env, expr)
        if isinstance(value, ir.Const | Known) and not effects:
            firsts[counter] = value
        elif most is None:
            raise _not_known(expr.span)
    return firsts


def _iterations(
    walk: Walk,
    env: Env,
    statement: typed.For,
    after: str,
    counters: Counters,
    most: int | None,
) -> None:
    span = statement.condition.span
    seen: set[tuple[Bound, ...]] = set()
    for turn in range(MAX_ITERATIONS):
        if turn == most:
            return
        condition = expressions.scalar(walk, env, statement.condition)
        if condition == ir.FALSE or ends(walk.body):
            return
        values = tuple(env.bindings[counter] for counter in counters)
        if most is None and (values in seen or not counters):
            raise _not_known(span)
        seen.add(values)
        if condition != ir.TRUE:
            walk.emit(ir.If(fold.negation(condition), (ir.Leave(after, span),), (), span))
        _iteration(walk, env, statement.body, after)
        if ends(walk.body):
            return
        for update in statement.update:
            _update(walk, env, update, counters)
    raise _too_long(statement.span)


def _counters(statement: typed.For) -> dict[typed.Variable, typed.Expression]:
    """Return the variables that the loop sets first and only its update changes."""
    counters = {}
    for first in statement.init:
        match first:
            case typed.Declare(declaration=typed.Variable() as variable):
                value = variable.initial
            case typed.Assign(target=typed.Ref(declaration=typed.Variable() as variable), op=None):
                value = first.value
            case _:
                continue
        if value is not None and not _is_written(variable, statement.body):
            counters[variable] = value
    return counters


def _constant(walk: Walk, env: Env, expr: typed.Expression) -> ir.Const | Known:
    value = expressions.evaluate(walk, env, expr)
    if not isinstance(value, ir.Const | Known):
        raise _not_known(expr.span)
    return value


def _update(walk: Walk, env: Env, update: typed.Statement, counters: Counters) -> None:
    match update:
        case typed.Assign(target=typed.Ref(declaration=typed.Variable() as counter)) if (
            counter in counters
        ):
            value = _constant(walk, env, _new_value(update))
            env.bindings[counter] = value
            storage = counters[counter]
            if storage is not None:
                places.store(walk, expressions.as_tree(storage), value, update.span)
        case _:
            statements.run(walk, env, update)


def _new_value(update: typed.Assign) -> typed.Expression:
    if update.op is None:
        return update.value
    target = update.target
    return typed.Binary(update.op, target, update.value, target.type, update.span)


# for (x in collection)


def _for_in(walk: Walk, env: Env, statement: typed.ForIn, after: str) -> None:
    is_fixed = not _is_written(statement.variable, statement.body)
    for value, condition in _values(walk, env, statement):
        if ends(walk.body):
            return
        with walk.collect() as body:
            env.bindings[statement.variable] = value if is_fixed else _copy(walk, value, statement)
            _iteration(walk, env, statement.body, after)
        if condition == ir.TRUE:
            walk.body.extend(body)
        else:
            walk.emit(ir.If(condition, tuple(body), (), statement.span))


def _values(walk: Walk, env: Env, statement: typed.ForIn) -> Iterator[tuple[Tree, ir.Expr]]:
    """Yield the values that the variable takes, each with the condition that it does.

    They are evaluated once, before the first iteration.
    """
    collection = expressions.evaluate(walk, env, statement.collection)
    if statement.high is not None:
        high = expressions.evaluate(walk, env, statement.high)
        low = walk.saved(number_of(collection), statement.span)
        yield from _range(low, walk.saved(number_of(high), statement.span), statement)
        return
    match collection:
        case StackTree(elements=elements):
            items = elements
        case Record(fields=fields):
            items = tuple(part for _, part in fields)
        case _:
            raise InternalError("elaborate", f"{collection} cannot be walked", statement.span)
    for item in [_copy(walk, item, statement) for item in items]:
        yield item, ir.TRUE


def _copy(walk: Walk, value: Tree, statement: typed.ForIn) -> Tree:
    variable = statement.variable
    copy = allocate(walk.names, variable.type, variable.name, variable.span)
    places.store(walk, copy, value, statement.span)
    return copy


def _range(low: ir.Expr, high: ir.Expr, statement: typed.ForIn) -> Iterator[tuple[Tree, ir.Expr]]:
    kind, width = statement.variable.type, ir.width_of(low)
    sign = is_signed(kind)
    first = _number(low, sign, 1 << width - 1 if sign else 0)
    last = _number(high, sign, fold.ones(width - 1 if sign else width))
    if last - first >= MAX_ITERATIONS:
        raise _too_long(statement.span)
    for number in range(first, last + 1):
        value = fold.constant(number, width)
        tests = (apply_binary("<=", low, value, kind), apply_binary("<=", value, high, kind))
        yield value, conjunction(leaf(test) for test in tests)


def _number(bound: ir.Expr, sign: bool, otherwise: int) -> int:
    """Return a bound of a range, or that of the bit pattern `otherwise` when it is not known."""
    pattern = bound.value if isinstance(bound, ir.Const) else otherwise
    return fold.signed(pattern, ir.width_of(bound)) if sign else pattern
