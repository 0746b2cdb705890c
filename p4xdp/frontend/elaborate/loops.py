"""`for` loops are unrolled: how often they run must be known at compile time (section 12.8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from p4xdp.diagnostics import CompileError, Span, fail
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import calls, expressions, fold, places, statements
from p4xdp.frontend.elaborate.effects import ends, scoped
from p4xdp.frontend.elaborate.storage import allocate
from p4xdp.frontend.elaborate.traverse import nodes
from p4xdp.frontend.elaborate.trees import Known, Record, StackTree, Tree, is_signed
from p4xdp.frontend.elaborate.walk import Env, Walk
from p4xdp.midend import ir

MAX_ITERATIONS = 1024
"""How often the body of a `for` loop is repeated at most."""


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
    again = calls.new_label(walk, "iteration")
    loops = walk.calls[-1].loops
    loops.append((after, again))
    with walk.collect() as emitted:
        statements.guarded(walk, env, body)
    loops.pop()
    walk.body.extend(scoped(again, emitted))


# for (init; condition; update)


def _for(walk: Walk, env: Env, statement: typed.For, after: str) -> None:
    for first in statement.init:
        statements.run(walk, env, first)
    counters = _counters(statement)
    for counter in counters:
        env.bindings[counter] = _initial(walk, env, counter)
    for _ in range(MAX_ITERATIONS):
        condition = expressions.scalar(walk, env, statement.condition)
        if not isinstance(condition, ir.Const):
            raise _not_known(statement.condition.span)
        if not condition.value:
            return
        _iteration(walk, env, statement.body, after)
        if ends(walk.body):
            return
        for update in statement.update:
            _update(walk, env, update, counters)
    raise _too_long(statement.span)


def _counters(statement: typed.For) -> set[typed.Variable]:
    """Return the variables of the loop that only its update changes."""
    declared = {
        first.declaration
        for first in statement.init
        if isinstance(first, typed.Declare) and isinstance(first.declaration, typed.Variable)
    }
    return {variable for variable in declared if not _is_written(variable, statement.body)}


def _is_written(variable: typed.Variable, body: typed.Statement) -> bool:
    """Whether a body assigns the variable or passes it to a call that may."""
    for node in nodes(body):
        match node:
            case typed.Assign(target=target) if _root(target) is variable:
                return True
            case typed.Call(arguments=arguments):
                if any(a is not None and _root(a) is variable for a in arguments):
                    return True
    return False


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


def _initial(walk: Walk, env: Env, counter: typed.Variable) -> Tree:
    if counter.initial is None:
        raise _not_known(counter.span)
    value = expressions.evaluate(walk, env, counter.initial)
    if not isinstance(value, ir.Const | Known):
        raise _not_known(counter.span)
    return value


def _update(walk: Walk, env: Env, update: typed.Statement, counters: set[typed.Variable]) -> None:
    match update:
        case typed.Assign(target=typed.Ref(declaration=typed.Variable() as counter)) if (
            counter in counters
        ):
            value = expressions.evaluate(walk, env, _new_value(update))
            if not isinstance(value, ir.Const | Known):
                raise _not_known(update.span)
            env.bindings[counter] = value
        case _:
            statements.run(walk, env, update)


def _new_value(update: typed.Assign) -> typed.Expression:
    if update.op is None:
        return update.value
    target = update.target
    return typed.Binary(update.op, target, update.value, target.type, update.span)


def _not_known(span: Span) -> CompileError:
    return fail(
        "unsupported",
        span,
        "how often this loop runs is not known at compile time",
        help="count with a variable that the loop declares and only its update changes, "
        "up to a constant; leave earlier with `break`",
    )


def _too_long(span: Span) -> CompileError:
    return fail("loop-too-long", span, f"this loop runs more than {MAX_ITERATIONS} times")


# for (x in collection)


def _for_in(walk: Walk, env: Env, statement: typed.ForIn, after: str) -> None:
    for value in _values(walk, env, statement):
        if ends(walk.body):
            return
        variable = statement.variable
        storage = allocate(walk.names, variable.type, variable.name, variable.span)
        places.store(walk, storage, value, statement.span)
        env.bindings[variable] = storage
        _iteration(walk, env, statement.body, after)


def _values(walk: Walk, env: Env, statement: typed.ForIn) -> Iterator[Tree]:
    """Yield the values that the variable takes; they do not change while the loop runs."""
    collection = expressions.evaluate(walk, env, statement.collection)
    if statement.high is not None:
        high = expressions.evaluate(walk, env, statement.high)
        yield from _range(collection, high, statement)
        return
    match collection:
        case StackTree(elements=elements):
            yield from _copies(walk, elements, statement)
        case Record(fields=fields):
            yield from _copies(walk, [part for _, part in fields], statement)
        case _:
            raise fail("unsupported", statement.span, "this collection cannot be walked")


def _range(low: Tree, high: Tree, statement: typed.ForIn) -> Iterator[Tree]:
    match low, high:
        case ir.Const(width=width), ir.Const():
            sign = is_signed(statement.variable.type)
            first, last = (fold.signed(v.value, width) if sign else v.value for v in (low, high))
            if last - first >= MAX_ITERATIONS:
                raise _too_long(statement.span)
            for value in range(first, last + 1):
                yield fold.constant(value, width)
        case _:
            raise _not_known(statement.span)


def _copies(walk: Walk, elements: Sequence[Tree], statement: typed.ForIn) -> list[Tree]:
    variable = statement.variable
    copies = []
    for element in elements:
        copy = allocate(walk.names, variable.type, variable.name, variable.span)
        places.store(walk, copy, element, statement.span)
        copies.append(copy)
    return copies
