"""Calls: copy-in, the body, copy-out (section 6.8), for everything that can be called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import assert_never

from p4xdp.diagnostics import InternalError, Span
from p4xdp.frontend import typed, types as t
from p4xdp.interp import (
    expressions,
    instances,
    packets,
    parsers,
    shown,
    statements,
    table_application,
)
from p4xdp.interp.events import Began, Called, Ended, Returned
from p4xdp.interp.machine import (
    Block,
    Exit,
    ExternInstance,
    ExternObject,
    Invocation,
    Reject,
    Return,
    Run,
    Stuck,
)
from p4xdp.interp.packets import PacketIn, PacketOut
from p4xdp.interp.references import Reference
from p4xdp.interp.tables import Choice
from p4xdp.interp.values import (
    NOTHING,
    Array,
    Frame,
    HeaderValue,
    Scalar,
    UnionValue,
    Value,
    boolean,
    copy,
    copy_header,
    invalid_header,
    plain,
    pop_front,
    push_front,
    undefined_copy,
    uninitialised,
)
from p4xdp.records import dataclass


def call(run: Run, frame: Frame, expr: typed.Call) -> Value:
    """Carry out a call and return its value."""
    match expr.callee:
        case typed.FunctionCallee(function=function):
            return _call_function(run, frame, function, expr)
        case typed.ActionCallee(action=action):
            return _call_action(run, frame, action, expr)
        case typed.ApplyCallee(instance=instance):
            return _apply_block(run, frame, instance, expr)
        case typed.TableApply():
            table_application.apply(run, frame, expr)
            return NOTHING
        case typed.ExternFunctionCallee() as callee:
            return _call_extern_function(run, frame, callee, expr)
        case typed.MethodCallee() as method:
            return _call_method(run, frame, method, expr)
        case typed.BuiltinCallee() as builtin:
            return _call_builtin(run, frame, builtin, expr)
        case _:
            assert_never(expr.callee)


# Arguments


@dataclass(frozen=True, slots=True)
class CopyOut:
    """When the callee ends, the parameter's value goes to `target`."""

    target: Reference
    parameter: typed.Parameter


Arguments = Sequence[tuple[typed.Parameter, typed.Expression | None]]


def bind(run: Run, frame: Frame, arguments: Arguments, cells: dict[object, Value]) -> list[CopyOut]:
    """Evaluate arguments from left to right into the cells of the callee's parameters.

    Return what is to be copied out, in the order of the arguments.
    """
    copies: list[CopyOut] = []
    for parameter, expression in arguments:
        if parameter.direction in ("out", "inout"):
            target = expressions.resolve_argument(run, frame, expression, parameter.type)
            is_out = parameter.direction == "out"
            start = uninitialised(target.type) if is_out else copy(target.read())
            cells[parameter] = start
            copies.append(CopyOut(target, parameter))
        elif expression is not None:
            cells[parameter] = expressions.evaluate(run, frame, expression)
        elif parameter.default is not None:
            cells[parameter] = expressions.evaluate(run, Frame(), parameter.default)
    return copies


def copy_out(cells: dict[object, Value], copies: Sequence[CopyOut]) -> None:
    for one in copies:
        one.target.write(copy(cells[one.parameter]))


def invoke(inner: Frame, copies: Sequence[CopyOut], body: Callable[[], None]) -> Value | None:
    """Run a body; `return` and `exit` copy out, too (sections 12.4 and 12.5).

    Return what `return` gives. Raises Exit after the copy-out. The `reject` of a sub-parser is
    that of its caller (section 13.10), which leaves open what its arguments hold from then on.
    """
    result = None
    try:
        body()
    except Return as done:
        result = done.value
    except Exit:
        copy_out(inner.cells, copies)
        raise
    except Reject:
        for one in copies:
            one.target.write(undefined_copy(inner.cells[one.parameter]))
        raise
    copy_out(inner.cells, copies)
    return result


def invocation_frame(frame: Frame) -> Frame:
    """Return the frame of the innermost invocation of a parser or control around a frame."""
    found = frame
    while found.outer is not None and instances.BLOCK not in found.outer.cells:
        found = found.outer
    return found


# Functions and actions


def _call_function(
    run: Run,
    frame: Frame,
    function: typed.Function,
    expr: typed.Call,
    outer: Frame | None = None,
) -> Value:
    inner = Frame(outer=outer)
    pairs = expr.passed(function.parameters)
    copies = bind(run, frame, pairs, inner.cells)
    with told(run, "function", function.name, _given(run, pairs, inner), function.span):
        result = invoke(inner, copies, lambda: statements.execute(run, inner, function.body))
        _tell_results(run, copies, inner, expr, result)
    return uninitialised(function.result) if result is None else result


def _call_action(run: Run, frame: Frame, action: typed.Action, expr: typed.Call) -> Value:
    inner = Frame(outer=invocation_frame(frame))
    pairs = expr.passed(action.parameters)
    copies = bind(run, frame, pairs, inner.cells)
    with told(run, "action", action.name, _given(run, pairs, inner), expr.span):
        invoke(inner, copies, lambda: statements.execute(run, inner, action.body))
        _tell_results(run, copies, inner, expr, None)
    return NOTHING


def _given(run: Run, pairs: Arguments, inner: Frame) -> tuple[tuple[str, str], ...]:
    """Return the arguments as a trace shows them."""
    if run.trace is None:
        return ()
    return tuple(
        (parameter.name, shown.value(inner.cells[parameter], parameter.type))
        for parameter, _ in pairs
        if parameter in inner.cells and parameter.direction != "out"
    )


def _tell_results(
    run: Run, copies: Sequence[CopyOut], inner: Frame, expr: typed.Call, result: Value | None
) -> None:
    """Tell the trace what a call gives to its caller, if it gives anything."""
    if run.trace is None:
        return
    results = tuple(
        (one.parameter.name, shown.value(inner.cells[one.parameter], one.parameter.type))
        for one in copies
    )
    returned = None if result is None else shown.value(result, expr.type)
    if results or returned is not None:
        run.trace(Returned(results, returned, expr.span))


@contextmanager
def told(
    run: Run, kind: str, name: str, arguments: tuple[tuple[str, str], ...], span: Span
) -> Iterator[None]:
    """Tell the trace that something begins and, however it does so, ends."""
    if run.trace is None:
        yield
        return
    run.trace(Began(kind, name, arguments, span))
    try:
        yield
    finally:
        run.trace(Ended(span))


def run_table_action(run: Run, control: Frame, choice: Choice) -> None:
    """Run the action of an entry or default: directional arguments are evaluated now, action
    data comes from the entry (section 14.2.2)."""
    action = choice.action.action
    inner = Frame(outer=control)
    bound = choice.action.arguments
    pairs = list(zip(action.parameters, bound, strict=False))
    copies = bind(run, control, pairs, inner.cells)
    for parameter, value in zip(action.parameters[len(bound) :], choice.data, strict=True):
        inner.cells[parameter] = copy(value)
    with told(run, "action", action.name, _given(run, pairs, inner), action.span):
        invoke(inner, copies, lambda: statements.execute(run, inner, action.body))


# Parsers and controls


def _apply_block(run: Run, frame: Frame, instance: typed.Expression, expr: typed.Call) -> Value:
    block = expressions.thing(run, frame, instance)
    if not isinstance(block, Block):
        raise InternalError("interp", f"{block} cannot be applied", expr.span)
    inner = Frame(outer=block.frame)
    pairs = expr.passed(block.declaration.parameters)
    copies = bind(run, frame, pairs, inner.cells)
    invoke(inner, copies, lambda: run_block(run, block, inner))
    return NOTHING


def run_block(run: Run, block: Block, inner: Frame) -> None:
    """Run one invocation of a parser or control, its parameters in `inner` already.

    Raises Exit, Return and Reject.
    """
    declaration = block.declaration
    kind = "parser" if isinstance(declaration, typed.Parser) else "control"
    with told(run, kind, block.path, (), declaration.span):
        for local in declaration.locals:
            if isinstance(local, typed.Variable):
                statements.declare(run, inner, local)
        if isinstance(declaration, typed.Parser):
            parsers.run_states(run, inner, declaration)
        else:
            statements.execute(run, inner, declaration.apply)


# Externs


def _call_extern_function(
    run: Run, frame: Frame, callee: typed.ExternFunctionCallee, expr: typed.Call
) -> Value:
    function = callee.function
    known = run.machine.library.functions.get(function.name)
    if known is None:
        text = f"the extern function `{function.name}` is not known to the interpreter"
        raise Stuck(f"{text}; one in C runs on native, kernel and veth", expr.span)
    types = callee.type_arguments
    return _invoke_extern(run, frame, function, expr, types, known, function.name)


def _invoke_extern(
    run: Run,
    frame: Frame,
    function: typed.ExternFunction,
    expr: typed.Call,
    type_arguments: tuple[t.Type, ...],
    body: Callable[[Run, Invocation], Value],
    what: str,
) -> Value:
    """Run what the architecture does, between copy-in and copy-out; `what` is how a trace calls
    it."""
    cells: dict[object, Value] = {}
    pairs = expr.passed(function.parameters)
    copies = bind(run, frame, pairs, cells)
    values = {p.name: cells[p] for p in function.parameters if p in cells}
    written = {p.name: e for p, e in pairs if e is not None}
    invocation = Invocation(function.name, values, type_arguments, expr.type, expr.span, written)
    with _told_call(run, what, pairs, cells, invocation) as call:
        result = call.result = body(run, invocation)
        for parameter in function.parameters:
            if parameter.name in invocation.values:
                cells[parameter] = invocation.values[parameter.name]
    copy_out(cells, [one for one in copies if one.parameter.name in invocation.values])
    return result


@dataclass(slots=True)
class _ExternCall:
    result: Value | None = None


@contextmanager
def _told_call(
    run: Run, what: str, pairs: Arguments, cells: Mapping[object, Value], invocation: Invocation
) -> Iterator[_ExternCall]:
    """Tell the trace of a call: when it is over what came of it, or at once where nothing can."""
    call = _ExternCall()
    given = [(p, e) for p, e in pairs if e is not None]
    outs = [(p, e) for p, e in given if p.direction in ("out", "inout")]
    gives = bool(outs) or invocation.result is not t.Basic.VOID
    if run.trace is None:
        yield call
        return
    ins = [(p, e) for p, e in given if p.direction != "out"]
    arguments = tuple((p.name, shown.value(cells[p], e.type)) for p, e in ins)
    if not gives:
        run.trace(Called(what, arguments, invocation.span))
        yield call
        return
    results: tuple[tuple[str, str], ...] = ()
    try:
        yield call
        results = tuple((p.name, shown.value(cells[p], e.type)) for p, e in outs)
    finally:
        returned = None
        if call.result is not None and invocation.result is not t.Basic.VOID:
            returned = shown.value(call.result, invocation.result)
        run.trace(Called(what, arguments, invocation.span, results, returned))


def _call_method(run: Run, frame: Frame, callee: typed.MethodCallee, expr: typed.Call) -> Value:
    found = expressions.thing(run, frame, callee.instance)
    match found:
        case PacketIn():
            return packets.call_packet_in(run, frame, found, callee, expr)
        case PacketOut():
            return packets.call_packet_out(run, frame, found, expr)
        case ExternInstance() if callee.method in found.methods:
            method = found.methods[callee.method]
            return _call_function(run, frame, method, expr, _own(found, frame))
        case ExternInstance(object=inner):
            return _call_object(run, frame, inner, callee, expr)
        case ExternObject():
            return _call_object(run, frame, found, callee, expr)
        case _:
            raise InternalError("interp", f"{found} has no methods", expr.span)


def _own(found: ExternInstance, frame: Frame) -> Frame:
    """Return the frame of an instance's methods. Called in the block of the instance, they see the
    variables of that run, too."""
    caller = invocation_frame(frame)
    is_same = instances.block_of(caller) is instances.block_of(found.frame)
    return Frame(found.frame.cells, caller) if is_same else found.frame


def _call_object(
    run: Run, frame: Frame, found: ExternObject, callee: typed.MethodCallee, expr: typed.Call
) -> Value:
    arguments, method = callee.type_arguments, callee.method
    what = f"{found.path}.{method.name}"
    return _invoke_extern(run, frame, method, expr, arguments, found.call, what)


# Methods of headers, unions and stacks


def _call_builtin(run: Run, frame: Frame, callee: typed.BuiltinCallee, expr: typed.Call) -> Value:
    match callee.name:
        case "isValid":
            return _is_valid(expressions.evaluate(run, frame, callee.base))
        case "setValid" | "setInvalid" as name:
            target = expressions.resolve(run, frame, callee.base)
            _set_validity(target, name == "setValid")
            return NOTHING
        case "push_front" | "pop_front" as name:
            _shift(run, frame, callee, name, expr)
            return NOTHING
        case name:
            raise Stuck(f"the method `{name}` is not known here", expr.span)


def _is_valid(value: Value) -> Scalar:
    """A union is valid when one of its headers is (section 8.21)."""
    match value:
        case HeaderValue(valid=valid):
            return valid
        case UnionValue(headers=headers):
            return boolean(any(header.valid.value for header in headers.values()))
        case _:
            raise InternalError("interp", f"isValid of {value}")


def _set_validity(target: Reference, valid: bool) -> None:
    """Make a header valid, its fields as they are or undefined; or invalid (section 8.18)."""
    header = target.read()
    if not isinstance(header, HeaderValue):
        raise InternalError("interp", f"{header} is no header")
    changed = copy_header(header) if valid else invalid_header(header.type)
    changed.valid = boolean(valid)
    target.write(changed)


def _shift(
    run: Run, frame: Frame, callee: typed.BuiltinCallee, name: str, expr: typed.Call
) -> None:
    argument = expr.arguments[0]
    kind = plain(callee.base.type)
    stack = expressions.resolve(run, frame, callee.base).read()
    if argument is None or not isinstance(kind, t.Stack) or not isinstance(stack, Array):
        raise InternalError("interp", f"{name} of {kind}", expr.span)
    count = expressions.known_number(run, frame, argument)
    shift = push_front if name == "push_front" else pop_front
    shift(stack, kind, count)
