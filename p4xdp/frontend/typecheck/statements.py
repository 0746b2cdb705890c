"""Statements: what may stand where, conditions, assignments, loops (section 12)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from p4xdp.frontend import syntax, typed
from p4xdp.frontend.typecheck.annotations import annotated
from p4xdp.frontend.typecheck.context import Context, Place, Rejected
from p4xdp.frontend.typecheck.conversion import cast_help, convert, describe, lvalue_fault
from p4xdp.frontend.typecheck.expressions import call, expression
from p4xdp.frontend.typecheck.instances import constant, instantiation, variable
from p4xdp.frontend.typecheck.operators import arithmetic, condition, shift
from p4xdp.frontend.typecheck.resolve import resolve
from p4xdp.frontend.typecheck.spelling import quote
from p4xdp.frontend.typecheck.switches import switch
from p4xdp.frontend.typecheck.traits import is_numeric, is_run_time
from p4xdp.frontend.types import Basic, ListType, Stack, Type


def block(cx: Context, b: syntax.Block) -> typed.Block:
    """Check a block in a scope of its own."""
    with cx.block():
        return typed.Block(statements(cx, b.statements), annotated(cx, b.annotations), b.span)


def statements(cx: Context, parts: Sequence[syntax.Statement]) -> tuple[typed.Statement, ...]:
    """Check statements in the current scope; one with an error is left out."""
    checked: list[typed.Statement] = []
    for part in parts:
        try:
            made = statement(cx, part)
        except Rejected:
            continue
        if made is not None:
            checked.append(made)
    return tuple(checked)


def statement(cx: Context, s: syntax.Statement) -> typed.Statement | None:
    """Return the typed statement, None where there is nothing to do."""
    match s:
        case syntax.Assignment():
            return _assignment(cx, s)
        case syntax.CallStatement():
            return _evaluate(cx, s)
        case syntax.Empty():
            return None
        case syntax.Block():
            return block(cx, s)
        case syntax.If():
            return _if(cx, s)
        case syntax.Variable():
            return typed.Declare(variable(cx, s), s.span)
        case syntax.Constant():
            return typed.Declare(constant(cx, s), s.span)
        case syntax.Instantiation():
            return typed.Declare(instantiation(cx, s), s.span)
        case _:
            return _control_flow(cx, s)


def _control_flow(
    cx: Context,
    s: syntax.Switch
    | syntax.Exit
    | syntax.Return
    | syntax.For
    | syntax.ForIn
    | syntax.Break
    | syntax.Continue,
) -> typed.Statement:
    match s:
        case syntax.Switch():
            return switch(cx, s, block)
        case syntax.Exit():
            if cx.place not in (Place.APPLY, Place.ACTION):
                raise cx.reject(
                    "not-allowed-here", s.span, f"`exit` cannot be used {cx.place.value}"
                )
            return typed.Exit(s.span)
        case syntax.Return():
            return _return(cx, s)
        case syntax.For():
            return _for(cx, s)
        case syntax.ForIn():
            return _for_in(cx, s)
        case syntax.Break():
            _in_loop(cx, s, "break")
            return typed.Break(s.span)
        case syntax.Continue():
            _in_loop(cx, s, "continue")
            return typed.Continue(s.span)
        case _:
            assert_never(s)


def _branch(cx: Context, s: syntax.Statement) -> typed.Statement:
    """Check the one statement of a branch or loop body, with a scope of its own."""
    if isinstance(s, syntax.Block):
        return block(cx, s)
    with cx.block():
        inner = statements(cx, (s,))
    return inner[0] if len(inner) == 1 else typed.Block(inner, (), s.span)


def _if(cx: Context, s: syntax.If) -> typed.Statement:
    try:
        test = condition(cx, expression(cx, s.condition), "the condition of `if`")
    except Rejected:
        _branch(cx, s.then)
        if s.otherwise is not None:
            _branch(cx, s.otherwise)
        raise
    then = _branch(cx, s.then)
    otherwise = None if s.otherwise is None else _branch(cx, s.otherwise)
    return typed.If(test, then, otherwise, s.span)


# Assignments and calls


def _assignment(cx: Context, s: syntax.Assignment) -> typed.Statement:
    target = expression(cx, s.target)
    fault = lvalue_fault(target)
    if fault is not None:
        raise cx.reject(
            "not-an-lvalue", s.target.span, f"cannot assign to {quote(s.target)}: {fault}"
        )
    value = expression(cx, s.value)
    if s.op != "=":
        return _combine(cx, s, target, value)
    type = target.type

    def sentence(given: str) -> str:
        return f"cannot assign {given} to {quote(s.target)} (`{type}`)"

    return typed.Assign(target, None, convert(cx, value, type, sentence, s.value), s.span)


def _combine(
    cx: Context, s: syntax.Assignment, target: typed.Expression, value: typed.Expression
) -> typed.Statement:
    """Return `target op= value`."""
    op = s.op.removesuffix("=")
    if op in ("<<", ">>"):
        result = shift(cx, op, target, value, s.span)
    else:
        result = arithmetic(cx, op, target, value, s.span)
    if result.type != target.type:
        raise cx.reject(
            "type-mismatch",
            s.span,
            f"cannot assign {describe(result.type)} to {quote(s.target)} (`{target.type}`)",
            help=cast_help(result.type, target.type, None),
        )
    assert isinstance(result, typed.Binary)
    return typed.Assign(target, op, result.right, s.span)


def _evaluate(cx: Context, s: syntax.CallStatement) -> typed.Statement | None:
    made = call(cx, s.call)
    match made:
        case typed.Call() | typed.TableResult():
            return typed.Evaluate(made, s.span)
        case typed.Construct():
            raise cx.reject(
                "not-allowed-here", s.span, "an object is constructed here but has no name"
            )
        case _:
            return None


def _return(cx: Context, s: syntax.Return) -> typed.Statement:
    if cx.result is None:
        raise cx.reject("not-allowed-here", s.span, f"`return` cannot be used {cx.place.value}")
    result = cx.result
    if s.value is None:
        if result is not Basic.VOID:
            raise cx.reject("type-mismatch", s.span, f"`return` needs a value of `{result}`")
        return typed.Return(None, s.span)
    value = expression(cx, s.value)
    if result is Basic.VOID:
        raise cx.reject(
            "type-mismatch",
            s.value.span,
            f"`return` cannot have a value {cx.place.value} without a result",
        )
    value = convert(
        cx,
        value,
        result,
        lambda given: f"cannot return {given} from a function of `{result}`",
        s.value,
    )
    return typed.Return(value, s.span)


# Loops


def _in_loop(cx: Context, s: syntax.Break | syntax.Continue, word: str) -> None:
    if not cx.loops:
        raise cx.reject("not-allowed-here", s.span, f"`{word}` can only be used in a loop")


def _loop_body(cx: Context, body: syntax.Statement) -> typed.Statement:
    cx.loops += 1
    try:
        return _branch(cx, body)
    finally:
        cx.loops -= 1


def _for(cx: Context, s: syntax.For) -> typed.Statement:
    with cx.block():
        init = statements(cx, s.init)
        test = condition(cx, expression(cx, s.condition), "the condition of `for`")
        update = statements(cx, s.update)
        return typed.For(init, test, update, _loop_body(cx, s.body), s.span)


def _for_in(cx: Context, s: syntax.ForIn) -> typed.Statement:
    collection = expression(cx, s.collection)
    high = None if s.high is None else expression(cx, s.high)
    with cx.block():
        runner = _loop_variable(cx, s)
        type = runner.type
        if high is not None:
            collection = _bound(cx, collection, type, s.collection)
            high = _bound(cx, high, type, s.high)
        else:
            collection = _collection(cx, collection, type, s.collection)
        return typed.ForIn(runner, collection, high, _loop_body(cx, s.body), s.span)


def _loop_variable(cx: Context, s: syntax.ForIn) -> typed.Variable:
    if s.type is None:
        entity = cx.lookup(s.name).entity
        if not isinstance(entity, typed.Variable):
            raise cx.reject("not-an-lvalue", s.name.span, f"`{s.name.text}` is not a variable")
        return entity
    type = resolve(cx, s.type)
    if not is_run_time(type):
        raise cx.reject("bad-type", s.type.span, f"a variable cannot have the type `{type}`")
    made = typed.Variable(s.name.text, type, None, s.name.span)
    cx.declare(s.name, made)
    return made


def _bound(
    cx: Context, e: typed.Expression, type: Type, source: syntax.Expression | None
) -> typed.Expression:
    if not is_numeric(type):
        raise cx.reject("bad-operand", e.span, f"a range of `{type}` is not possible")
    return convert(
        cx, e, type, lambda given: f"a bound of the range is {given}, the variable `{type}`", source
    )


def _collection(
    cx: Context, e: typed.Expression, type: Type, source: syntax.Expression
) -> typed.Expression:
    if isinstance(e.type, Stack | ListType):
        if e.type.element != type:
            text = f"the elements are `{e.type.element}`, the variable is `{type}`"
            raise cx.reject("type-mismatch", e.span, text)
        return e
    return convert(cx, e, ListType(type), lambda given: f"a loop cannot run over {given}", source)
