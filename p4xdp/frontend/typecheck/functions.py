"""Parameters, functions and actions: heads and bodies, generic functions for each use."""

from __future__ import annotations

from typing import Literal

from p4xdp.diagnostics import Note, Span
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.scope import GenericFunction, TypeName
from p4xdp.frontend.typecheck.annotations import annotated, has
from p4xdp.frontend.typecheck.context import Context, Place, Rejected
from p4xdp.frontend.typecheck.conversion import convert, require_known
from p4xdp.frontend.typecheck.expressions import expression
from p4xdp.frontend.typecheck.resolve import resolve
from p4xdp.frontend.typecheck.traits import article, contains_variable, is_run_time, is_value
from p4xdp.frontend.types import Basic, BlockType, ExternType, Type, TypeVariable

_CONSTRUCTED = ("package", "parser constructor", "control constructor", "extern constructor")
_WITH_OPTIONAL = (
    "package",
    "parser type",
    "parser",
    "control type",
    "control",
    "extern",
    "extern constructor",
)

DIRECTIONS: dict[syntax.Direction, Literal["", "in", "out", "inout"]] = {
    syntax.Direction.NONE: "",
    syntax.Direction.IN: "in",
    syntax.Direction.OUT: "out",
    syntax.Direction.INOUT: "inout",
}


def type_variables(cx: Context, names: tuple[syntax.Name, ...]) -> tuple[TypeVariable, ...]:
    """Declare type parameters in the current scope."""
    made = []
    for name in names:
        variable = cx.variable(name.text)
        cx.declare(name, TypeName(variable))
        made.append(variable)
    return tuple(made)


def bind_type_parameters(
    cx: Context, names: tuple[syntax.Name, ...], types: tuple[Type, ...]
) -> None:
    """Declare type parameters as the types that they stand for in one use."""
    for name, type in zip(names, types, strict=True):
        cx.declare(name, TypeName(type))


def specialised_name(name: str, types: tuple[Type, ...]) -> str:
    return f"{name}<{', '.join(map(str, types))}>" if types else name


def parameters(
    cx: Context, written: tuple[syntax.Parameter, ...], owner: str
) -> tuple[typed.Parameter, ...]:
    """Check the parameters of an `owner` (its kind); names are bound by `declare_parameters`."""
    made: list[typed.Parameter] = []
    failed = False
    for p in written:
        try:
            made.append(_parameter(cx, p, owner))
        except Rejected:
            failed = True
    if failed:
        raise Rejected
    return tuple(made)


def _parameter(cx: Context, p: syntax.Parameter, owner: str) -> typed.Parameter:
    type = resolve(cx, p.type)
    direction = DIRECTIONS[p.direction]
    _check_parameter_type(cx, p, type, owner)
    optional = has(p.annotations, "optional")
    if optional and owner not in _WITH_OPTIONAL:
        text = f"{_an(owner)} cannot have an optional parameter: `{p.name.text}`"
        raise cx.reject("bad-parameter", p.span, text)
    default = None
    if p.default is not None:
        if optional:
            text = f"optional parameter `{p.name.text}` cannot have a default value"
            raise cx.reject("bad-parameter", p.span, text)
        if direction in ("out", "inout"):
            text = f"`{direction}` parameter `{p.name.text}` cannot have a default value"
            raise cx.reject("bad-parameter", p.span, text)
        default = _default(cx, p, type)
    found = annotated(cx, p.annotations)
    return typed.Parameter(p.name.text, direction, type, default, optional, found, p.span)


def _default(cx: Context, p: syntax.Parameter, type: Type) -> typed.Expression:
    assert p.default is not None
    value = expression(cx, p.default)
    if isinstance(type, BlockType) and isinstance(value.type, BlockType):
        return value
    value = convert(
        cx,
        value,
        type,
        lambda given: f"the default value of `{p.name.text}` (`{type}`) cannot be {given}",
        p.default,
    )
    require_known(cx, value, f"the default value of `{p.name.text}`")
    return value


def _check_parameter_type(cx: Context, p: syntax.Parameter, type: Type, owner: str) -> None:
    name, direction = p.name.text, p.direction.value
    if owner in _CONSTRUCTED and direction:
        text = f"`{name}` cannot have a direction: it is a parameter of a constructor"
        raise cx.reject("bad-parameter", p.span, text)
    if isinstance(type, BlockType):
        _check_block_parameter(cx, p, type, owner)
        return
    if isinstance(type, ExternType):
        if direction or owner in ("action", "function"):
            where = f"an `{direction}` parameter" if direction else f"a parameter of {_an(owner)}"
            text = f"an extern object cannot be {where}: `{name}`"
            raise cx.reject("bad-parameter", p.type.span, text)
        return
    if not is_value(type):
        raise cx.reject("bad-parameter", p.type.span, f"a parameter cannot have the type `{type}`")
    if (direction or owner == "action") and not is_run_time(type):
        what = f"`{direction}` parameter `{name}`" if direction else f"action data `{name}`"
        text = f"{what} cannot have the type `{type}`"
        raise cx.reject("bad-parameter", p.type.span, text)


def _check_block_parameter(cx: Context, p: syntax.Parameter, type: BlockType, owner: str) -> None:
    """Check which constructors may take a parser, control or package (appendix F)."""
    allowed = owner == "package" or owner == f"{type.kind} constructor"
    if not allowed:
        where = f"a parameter of {_an(owner)}" if owner in _CONSTRUCTED else "a run-time parameter"
        text = f"{article(type)} cannot be {where}: `{p.name.text}`"
        raise cx.reject("bad-parameter", p.type.span, text)


def _an(owner: str) -> str:
    return f"an {owner}" if owner[0] in "aeo" else f"a {owner}"


def declare_parameters(
    cx: Context, written: tuple[syntax.Parameter, ...], made: tuple[typed.Parameter, ...]
) -> None:
    """Bind checked parameters in the current scope."""
    for p, parameter in zip(written, made, strict=True):
        cx.declare(p.name, parameter)


# Functions


def check_result(cx: Context, t: syntax.Type, type: Type, *, factory: bool = False) -> None:
    """Check the type of a result; an extern function may be a `factory` of extern objects."""
    if type is Basic.VOID or (factory and isinstance(type, ExternType)):
        return
    if not is_run_time(type):
        raise cx.reject("bad-type", t.span, f"a function cannot return `{type}`")


def function(cx: Context, f: syntax.Function, method: bool = False) -> typed.Function:
    """Check a function without type parameters, body and all."""
    p = f.prototype
    found = annotated(cx, p.annotations)
    with cx.block(Place.FUNCTION):
        assert p.result is not None
        result = resolve(cx, p.result)
        check_result(cx, p.result, result)
        made = parameters(cx, p.parameters, "method" if method else "function")
        declare_parameters(cx, p.parameters, made)
        cx.run_time.update(made)
        body = _body(cx, f, result)
    return typed.Function(p.name.text, made, result, body, found, f.span)


def _body(cx: Context, f: syntax.Function, result: Type) -> typed.Block:
    outer, cx.result = cx.result, result
    errors = len(cx.diagnostics.errors)
    try:
        body = cx.check_block(f.body)
    finally:
        cx.result = outer
    if len(cx.diagnostics.errors) > errors:
        return body
    if result is not Basic.VOID and not always_returns(body):
        name = f.prototype.name
        cx.diagnostics.error(
            "missing-return",
            name.span,
            f"function `{name.text}` does not return a value on every path",
        )
    return body


def generic_function(cx: Context, f: syntax.Function) -> GenericFunction:
    """Check the head of a function with type parameters, and its body once for any type."""
    p = f.prototype
    with cx.block(Place.FUNCTION):
        variables = type_variables(cx, p.type_parameters)
        assert p.result is not None
        result = resolve(cx, p.result)
        check_result(cx, p.result, result)
        made = parameters(cx, p.parameters, "function")
        declare_parameters(cx, p.parameters, made)
        cx.run_time.update(made)
        _body(cx, f, result)
    return GenericFunction(f, variables, made, result)


def specialise(
    cx: Context, generic: GenericFunction, types: tuple[Type, ...], span: Span
) -> typed.Function:
    """Return the function for these type arguments, made once and put before its first user."""
    key = (id(generic), tuple(map(str, types)))
    if key in cx.specialised:
        return cx.specialised[key]
    f = generic.declaration
    p = f.prototype
    found = annotated(cx, p.annotations)
    errors = len(cx.diagnostics.errors)
    with cx.once_for(generic), cx.block(Place.FUNCTION):
        bind_type_parameters(cx, p.type_parameters, types)
        assert p.result is not None
        result = resolve(cx, p.result)
        made = parameters(cx, p.parameters, "function")
        declare_parameters(cx, p.parameters, made)
        cx.run_time.update(made)
        body = _body(cx, f, result)
    full_name = specialised_name(p.name.text, types)
    if len(cx.diagnostics.errors) > errors:
        raise cx.reject("bad-type-argument", span, f"`{full_name}` is used here")
    function = typed.Function(full_name, made, result, body, found, f.span)
    cx.specialised[key] = function
    if not any(map(contains_variable, types)):
        cx.declarations.append(function)
    return function


# Actions


def action(cx: Context, a: syntax.Action) -> typed.Action:
    """Check an action: head, order of parameters, body."""
    with cx.block(Place.ACTION):
        made = parameters(cx, a.parameters, "action")
        _check_order(cx, a, made)
        cx.run_time.update(made)
        declare_parameters(cx, a.parameters, made)
        outer, cx.result = cx.result, Basic.VOID
        try:
            body = cx.check_block(a.body)
        finally:
            cx.result = outer
    return typed.Action(a.name.text, made, body, annotated(cx, a.annotations), a.span)


def _check_order(cx: Context, a: syntax.Action, made: tuple[typed.Parameter, ...]) -> None:
    data: typed.Parameter | None = None
    for parameter in made:
        if not parameter.direction:
            data = data or parameter
        elif data is not None:
            raise cx.reject(
                "bad-parameter",
                parameter.span,
                f"`{parameter.name}` has a direction and must stand before the action data"
                f" `{data.name}`",
                notes=(Note("the action data begins here", data.span),),
            )


# Return on every path


def always_returns(s: typed.Statement) -> bool:
    """Say whether a statement never lets control reach what follows it."""
    match s:
        case typed.Return() | typed.Exit():
            return True
        case typed.Block():
            return any(map(always_returns, s.statements))
        case typed.If():
            return (
                s.otherwise is not None and always_returns(s.then) and always_returns(s.otherwise)
            )
        case typed.ActionSwitch() | typed.ValueSwitch():
            complete = any(None in case.labels for case in s.cases)
            return complete and all(
                case.body is not None and always_returns(case.body) for case in s.cases
            )
        case _:
            return False
