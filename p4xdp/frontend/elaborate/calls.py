"""Calls are inlined: P4's calling convention (section 6.8) in assignments and scopes.

An `out` or `inout` argument is the parameter's storage itself wherever the callee cannot tell
the difference; otherwise it is copied in and, however the callee ends, copied out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from p4xdp.diagnostics import InternalError, Span, fail
from p4xdp.frontend import typed, types as t
from p4xdp.frontend.elaborate import expressions, externs, places, statements, tables
from p4xdp.frontend.elaborate.atomic import atomic
from p4xdp.frontend.elaborate.effects import (
    Value,
    ends,
    in_order,
    kept_place,
    scoped,
    tree_mentions,
)
from p4xdp.frontend.elaborate.instances import block_of, join
from p4xdp.frontend.elaborate.storage import allocate
from p4xdp.frontend.elaborate.traverse import touched
from p4xdp.frontend.elaborate.trees import HeaderTree, Known, Record, Tree, leaves
from p4xdp.frontend.elaborate.walk import (
    Block,
    Bound,
    Call,
    CopyOut,
    Env,
    ExternObject,
    Place,
    Walk,
)
from p4xdp.midend import ir
from p4xdp.records import dataclass

NOTHING = Record(())
"""The value of a call that returns none."""


def call(walk: Walk, env: Env, expr: typed.Call) -> Tree:
    """Inline a call; return its value."""
    match expr.callee:
        case typed.FunctionCallee(function=function):
            return call_function(walk, env, function, expr)
        case typed.ActionCallee(action=action):
            call_action(walk, env, action, arguments_of(expr, action.parameters), expr.span)
        case typed.ApplyCallee(instance=instance):
            _apply_control(walk, env, instance, expr)
        case typed.TableApply():
            tables.apply(walk, env, expr)
        case typed.ExternFunctionCallee(function=declared):
            return externs.call_function(walk, env, declared, expr)
        case typed.MethodCallee() as method:
            return externs.call_method(walk, env, method, expr)
        case typed.BuiltinCallee() as builtin:
            return _call_builtin(walk, env, builtin, expr)
    return NOTHING


# Arguments


@dataclass(frozen=True, slots=True)
class Argument:
    """What stands for a parameter in a call: an expression of the caller, or a value."""

    parameter: typed.Parameter
    expression: typed.Expression | None = None
    value: Tree | None = None


def arguments_of(expr: typed.Call, parameters: Sequence[typed.Parameter]) -> list[Argument]:
    """Return the arguments as they stand in the call."""
    return [Argument(parameter, given) for parameter, given in expr.passed(parameters)]


@dataclass(frozen=True, slots=True)
class Passed:
    """An evaluated argument: an instance, or a place to write back to, a value, or both."""

    parameter: typed.Parameter
    bound: Bound | None = None
    place: Place | None = None
    value: Tree | None = None

    @property
    def writes(self) -> bool:
        return self.parameter.direction in ("out", "inout")


def pass_arguments(walk: Walk, env: Env, arguments: Sequence[Argument], span: Span) -> list[Passed]:
    """Evaluate arguments from left to right."""

    def step(argument: Argument) -> Callable[[], Value]:
        return lambda: _evaluated(walk, env, argument)

    passed = []
    for argument, value in zip(
        arguments, in_order(walk, span, [step(a) for a in arguments]), strict=True
    ):
        parameter = argument.parameter
        match value:
            case Place() as place:
                passed.append(Passed(parameter, place=place))
            case (Place() as place, tree):
                passed.append(Passed(parameter, place=place, value=tree))
            case None:
                found = _instance(walk, env, argument)
                passed.append(Passed(parameter, bound=found))
            case _:
                passed.append(Passed(parameter, value=value))
    return passed


def _is_instance(parameter: typed.Parameter) -> bool:
    return isinstance(parameter.type, t.ExternType | t.BlockType)


def _instance(walk: Walk, env: Env, argument: Argument) -> Bound | None:
    if argument.expression is None or not _is_instance(argument.parameter):
        return None
    return expressions.instance(walk, env, argument.expression, "")


def _evaluated(walk: Walk, env: Env, argument: Argument) -> Value:
    parameter, expression = argument.parameter, argument.expression
    if argument.value is not None:
        return argument.value
    if _is_instance(parameter):
        return None
    if expression is None:
        if parameter.default is None:
            return None
        return expressions.evaluate(walk, Env(), parameter.default)
    match parameter.direction:
        case "out":
            return expressions.resolve(walk, env, expression)
        case "inout":
            place = expressions.resolve(walk, env, expression)
            return (place, places.read(walk, place, expression.span))
        case _:
            return expressions.evaluate(walk, env, expression)


# Binding


def _places_footprint(walk: Walk, argument: Passed) -> set[str]:
    """Return all variables that a place may be."""
    if argument.place is None:
        return set()
    return set().union(*(walk.footprint(tree) for tree in argument.place.storage))


def _by_reference(walk: Walk, passed: Sequence[Passed], reachable: set[str]) -> set[int]:
    """Return which arguments can be the parameter themselves, by position.

    That is storage that the callee reaches in no other way, and that nobody changed since the
    argument was evaluated.
    """
    prints = [_places_footprint(walk, argument) for argument in passed]
    result = set()
    for i, argument in enumerate(passed):
        whole = argument.place.whole if argument.place else None
        others = set().union(reachable, *(p for j, p in enumerate(prints) if j != i))
        if whole is not None and not _must_copy(argument, whole) and not prints[i] & others:
            result.add(i)
    return result


def _must_copy(argument: Passed, whole: Tree) -> bool:
    """Whether writing to the argument is more than writing its variables, or it was saved."""
    in_union = isinstance(whole, HeaderTree) and bool(whole.siblings)
    is_saved = argument.value is not None and leaves(argument.value) != leaves(whole)
    return in_union or is_saved


def bind(
    walk: Walk,
    env: Env,
    arguments: Sequence[Argument],
    reachable: set[str],
    span: Span,
) -> tuple[dict[object, Bound], list[CopyOut]]:
    """Return the parameters' storage and values for one call, and what is copied out after it.

    `reachable` holds the variables that the callee can name by itself.
    """
    passed = pass_arguments(walk, env, arguments, span)
    by_reference = _by_reference(walk, passed, reachable)
    changing = set(reachable)
    for i in by_reference:
        changing |= walk.footprint(_whole(passed[i]))
    written = changing.union(*(_places_footprint(walk, argument) for argument in passed))
    bindings: dict[object, Bound] = {}
    copies: list[CopyOut] = []
    for i, argument in enumerate(passed):
        if argument.bound is not None:
            bindings[argument.parameter] = argument.bound
        elif i not in by_reference:
            storage = _copied(walk, argument, changing, span)
            bindings[argument.parameter] = storage
            if argument.place is not None:
                place = kept_place(walk, argument.place, written, span)
                copies.append(CopyOut(place, storage, span))
    for i in sorted(by_reference):
        whole = _whole(passed[i])
        if passed[i].parameter.direction == "out":
            places.reset(walk, whole, span)
        bindings[passed[i].parameter] = whole
    return bindings, copies


def _whole(argument: Passed) -> Tree:
    if argument.place is None or argument.place.whole is None:
        raise InternalError("elaborate", f"{argument} is not passed by reference")
    return argument.place.whole


def _copied(walk: Walk, argument: Passed, changing: set[str], span: Span) -> Tree:
    """Return storage for a parameter, set from the argument; an unchanging value is itself."""
    parameter, value = argument.parameter, argument.value
    if not argument.writes and value is not None and _stands_still(value, changing):
        return value
    storage = allocate(walk.names, parameter.type, parameter.name, parameter.span)
    if value is not None:
        places.store(walk, storage, value, span)
    elif walk.in_parser:
        places.reset(walk, storage, span)
    return storage


def _stands_still(value: Tree, changing: set[str]) -> bool:
    if isinstance(value, Known):
        return True
    simple = all(isinstance(expr, ir.Var | ir.Const) for expr in leaves(value))
    return simple and not tree_mentions(value) & changing


# Inlining


def inline(
    walk: Walk,
    inner: Env,
    call_: Call,
    run: Callable[[Env], None],
) -> None:
    """Emit a body with its scope, then what it copies out."""
    inner.call = call_
    walk.calls.append(call_)
    with walk.collect() as body:
        run(inner)
    walk.calls.pop()
    walk.body.extend(scoped(call_.label, body))
    if not ends(walk.body):
        copy_out(walk, call_)


def copy_out(walk: Walk, call_: Call) -> None:
    for copy in call_.copy_out:
        value = places.read(walk, Place((copy.parameter,)), copy.span)
        places.write(walk, copy.place, value, copy.span)


def new_label(walk: Walk, name: str) -> str:
    return walk.labels.unique(f"after_{name}")


def call_own_method(
    walk: Walk, env: Env, found: ExternObject, method: typed.Function, expr: typed.Call
) -> Tree:
    """Inline a method that the program gives an instance. Called in the block of the instance, it
    sees the variables of that run."""
    declared = found.env or Env()
    around = env.root if env.root.block is declared.root.block else declared.outer
    own = Env(outer=around, bindings=declared.bindings)
    return call_function(walk, env, method, expr, own)


def call_function(
    walk: Walk, env: Env, function: typed.Function, expr: typed.Call, outer: Env | None = None
) -> Tree:
    """Inline a function, or a method of an instance, whose environment is `outer`."""
    arguments = arguments_of(expr, function.parameters)
    reachable = touched(outer, function.body) if outer else set()
    bindings, copies = bind(walk, env, arguments, reachable, expr.span)
    result: Tree = NOTHING
    if function.result is not t.Basic.VOID:
        result = allocate(walk.names, function.result, f"{function.name}_result", expr.span)
    call_ = Call(new_label(walk, function.name), result, copies)
    inner = Env(outer=outer, bindings=bindings)
    inline(walk, inner, call_, lambda e: statements.run(walk, e, function.body))
    return places.current(walk, result)


def call_action(
    walk: Walk, env: Env, action: typed.Action, arguments: Sequence[Argument], span: Span
) -> None:
    """Inline an action, called from its control, another action or a table."""
    outer = env.root
    reachable = outer.touched.get(action)
    if reachable is None:
        reachable = outer.touched[action] = touched(outer, action.body)
    bindings, copies = bind(walk, env, arguments, reachable, span)
    call_ = Call(new_label(walk, action.name), None, copies)
    inner = Env(block=outer.block, outer=outer, bindings=bindings)
    with atomic(walk, action.annotations, action.span):
        inline(walk, inner, call_, lambda e: statements.run(walk, e, action.body))


def _apply_control(walk: Walk, env: Env, instance: typed.Expression, expr: typed.Call) -> None:
    block = applied_block(walk, env, instance, expr.span)
    control = block.declaration
    if not isinstance(control, typed.Control):
        raise fail(
            "unsupported",
            expr.span,
            "a parser applied inside a loop is not supported",
            help="apply it in a state that leads back to itself instead of the loop",
        )
    arguments = arguments_of(expr, control.parameters)
    bindings, copies = bind(walk, env, arguments, set(), expr.span)
    run_control(walk, block, control, bindings, Call(new_label(walk, control.name), None, copies))


def applied_block(walk: Walk, env: Env, instance: typed.Expression, span: Span) -> Block:
    """Return the instance that `instance.apply()` applies; of a type, it is made here."""
    path = env.root.block.path if env.root.block else ""
    if isinstance(instance, typed.Construct):
        path = join(path, getattr(instance.target, "name", ""))
    return block_of(expressions.instance(walk, env, instance, path), span)


def run_control(
    walk: Walk,
    block: Block,
    control: typed.Control,
    bindings: dict[object, Bound],
    call_: Call,
) -> None:
    """Inline one invocation of a control instance."""
    env = Env(block=block, bindings={**block.arguments, **block.children, **bindings})

    def run(inner: Env) -> None:
        for declaration in control.locals:
            if isinstance(declaration, typed.Variable | typed.Constant):
                statements.guarded(walk, inner, typed.Declare(declaration, declaration.span))
        statements.run(walk, inner, control.apply)

    with atomic(walk, control.annotations, control.span):
        inline(walk, env, call_, run)


# Built-in methods of headers, unions and stacks


def _call_builtin(walk: Walk, env: Env, callee: typed.BuiltinCallee, expr: typed.Call) -> Tree:
    match callee.name:
        case "isValid":
            return places.is_valid(expressions.evaluate(walk, env, callee.base))
        case "setValid" | "setInvalid" as name:
            place = expressions.resolve(walk, env, callee.base)
            places.on_each(
                walk,
                place,
                expr.span,
                lambda header: places.set_validity(walk, header, name == "setValid", expr.span),
            )
            return NOTHING
        case "push_front" | "pop_front" as name:
            _shift(walk, env, callee.base, expr, 1 if name == "push_front" else -1)
            return NOTHING
        case name:
            raise InternalError("elaborate", f"the method {name}", expr.span)


def _shift(walk: Walk, env: Env, base: typed.Expression, expr: typed.Call, direction: int) -> None:
    count = None
    if expr.arguments and expr.arguments[0] is not None:
        count = known_number(expressions.evaluate(walk, env, expr.arguments[0]))
    if count is None:
        raise InternalError("elaborate", "a count that is not known", expr.span)
    place = expressions.resolve(walk, env, base)
    places.on_each(
        walk,
        place,
        expr.span,
        lambda stack: places.shift(walk, stack, direction * count, expr.span),
    )


def known_number(value: Bound | None) -> int | None:
    """Return a number that is known at compile time, None for anything else."""
    match value:
        case Known(value=int(number)) | ir.Const(value=number):
            return number
        case _:
            return None
