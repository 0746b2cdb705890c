"""What stands before the parentheses of a call, and the typed call that it gives."""

from __future__ import annotations

from p4xdp.diagnostics import Note, Span
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.scope import (
    ExternName,
    GenericBlock,
    GenericFunction,
    Overloads,
    PackageName,
    Symbol,
    TypeName,
    what_it_is,
)
from p4xdp.frontend.typecheck import folding
from p4xdp.frontend.typecheck.arguments import Given, Signature, choose, invoke
from p4xdp.frontend.typecheck.builtins import (
    call_builtin,
    check_core_function,
    check_core_method,
    methods_of,
)
from p4xdp.frontend.typecheck.context import Context, Place, Rejected
from p4xdp.frontend.typecheck.conversion import describe, is_pure
from p4xdp.frontend.typecheck.inference import Bindings, substitute, substitute_parameter
from p4xdp.frontend.typecheck.members import no_member
from p4xdp.frontend.typecheck.resolve import block_type, parameter_types, refuse_objects
from p4xdp.frontend.types import (
    ApplyResult,
    Basic,
    BlockType,
    ExternType,
    Type,
    TypeVariable,
)

_ACTION_PLACES = (Place.APPLY, Place.ACTION)
_EXTERN_FORBIDDEN = (Place.TOP,)


def forbidden_here(cx: Context, what: str, span: Span, help: str | None = None) -> Rejected:
    return cx.reject("not-allowed-here", span, f"{what} {cx.place.value}", help=help)


# Functions and actions


def call_overloads(
    cx: Context,
    name: str,
    overloads: Overloads,
    types: tuple[Type, ...],
    given: list[Given],
    span: Span,
) -> typed.Expression:
    """Return the call of a function, extern function or action."""
    signatures = [_signature(f) for f in overloads.functions]
    at = choose(cx, signatures, given, span)
    function, signature = overloads.functions[at], signatures[at]
    _check_callable_here(cx, function, span)
    call = invoke(cx, signature, types, given, span)
    match function:
        case typed.Action():
            return call.of(typed.ActionCallee(function), span, Basic.VOID)
        case typed.Function():
            return call.of(typed.FunctionCallee(function), span)
        case typed.ExternFunction():
            if check_core_function(cx, name, call.arguments, span):
                return folding.boolean(True, span)
            chosen = in_order(signature.variables, call.bindings)
            callee = typed.ExternFunctionCallee(function, chosen)
            return call.of(callee, span)
        case GenericFunction():
            made = cx.specialise(function, in_order(function.variables, call.bindings), span)
            return call.of(typed.FunctionCallee(made), span)


def in_order(variables: tuple[TypeVariable, ...], bindings: Bindings) -> tuple[Type, ...]:
    return tuple([bindings[variable] for variable in variables])


def _signature(
    f: typed.Function | typed.ExternFunction | typed.Action | GenericFunction,
) -> Signature:
    match f:
        case typed.Action():
            return Signature("action", f.name, f.parameters, Basic.VOID, f.span)
        case typed.Function():
            return Signature("function", f.name, f.parameters, f.result, f.span)
        case typed.ExternFunction():
            return Signature("extern function", f.name, f.parameters, f.result, f.span, f.variables)
        case GenericFunction():
            return Signature(
                "function", f.name, f.parameters, f.result, f.declaration.span, f.variables
            )


def _check_callable_here(
    cx: Context,
    function: typed.Function | typed.ExternFunction | typed.Action | GenericFunction,
    span: Span,
) -> None:
    if isinstance(function, typed.Action):
        if cx.place not in _ACTION_PLACES:
            raise forbidden_here(cx, f"action `{function.name}` cannot be called", span)
    elif cx.place is Place.TOP and function.name != "static_assert":
        if isinstance(function, typed.ExternFunction) and is_pure(function):
            return
        raise forbidden_here(cx, f"function `{function.name}` cannot be called", span)


# Methods


def call_member(
    cx: Context,
    base: typed.Expression,
    name: syntax.Name,
    types: tuple[Type, ...],
    given: list[Given],
    span: Span,
) -> typed.Expression:
    """Return `base.name(...)` for a value or an instance."""
    match base.type:
        case ExternType():
            return _call_method(cx, base, base.type, name, types, given, span)
        case BlockType() if base.type.kind != "package":
            if name.text != "apply":
                raise no_member(
                    cx, name, f"{base.type.kind} `{base.type.name}`", ("apply",), "method"
                )
            return apply_block(cx, base, given, span)
        case _:
            known = methods_of(base.type)
            if name.text not in known:
                raise no_member(cx, name, f"a value of {describe(base.type)}", known, "method")
            return call_builtin(cx, base, name, given, span)


def _call_method(
    cx: Context,
    base: typed.Expression,
    type: ExternType,
    name: syntax.Name,
    types: tuple[Type, ...],
    given: list[Given],
    span: Span,
) -> typed.Call:
    extern = cx.externs[type.name]
    methods = [m for m in extern.methods if m.name == name.text]
    if not methods:
        raise no_member(
            cx, name, f"extern `{type.name}`", (m.name for m in extern.methods), "method"
        )
    if cx.place in _EXTERN_FORBIDDEN and not isinstance(base, typed.This):
        raise forbidden_here(cx, f"method `{name.text}` cannot be called", span)
    bound = dict(zip(extern.variables, type.arguments, strict=True))
    signatures = [
        Signature("method", m.name, m.parameters, m.result, m.span, m.variables, bound)
        for m in methods
    ]
    at = choose(cx, signatures, given, span)
    call = invoke(cx, signatures[at], types, given, span)
    chosen = in_order(methods[at].variables, call.bindings)
    check_core_method(cx, type.name, name.text, call.arguments, chosen, span)
    callee = typed.MethodCallee(base, extern, methods[at], chosen)
    return call.of(callee, span)


# Parsers, controls and tables


def apply_block(
    cx: Context, instance: typed.Expression, given: list[Given], span: Span
) -> typed.Call:
    """Return `instance.apply(...)` of a parser or control."""
    type = instance.type
    assert isinstance(type, BlockType)
    place = Place.STATE if type.kind == "parser" else Place.APPLY
    if cx.place is not place:
        text = f"{type.kind} `{type.name}` can only be applied {place.value}, not {cx.place.value}"
        raise cx.reject("not-allowed-here", span, text)
    block = _block_of(instance)
    parameters = block.parameters if block else _as_parameters(type)
    place_of_declaration = block.span if block else span
    signature = Signature(type.kind, type.name, parameters, Basic.VOID, place_of_declaration)
    call = invoke(cx, signature, (), given, span)
    return call.of(typed.ApplyCallee(instance, block), span, Basic.VOID)


def _block_of(instance: typed.Expression) -> typed.Parser | typed.Control | None:
    match instance:
        case typed.Construct(target=typed.Parser() | typed.Control() as block):
            return block
        case typed.Ref(
            declaration=typed.Instance(target=typed.Parser() | typed.Control() as block)
        ):
            return block
        case _:
            return None


def _as_parameters(type: BlockType) -> tuple[typed.Parameter, ...]:
    return tuple(
        [
            typed.Parameter(p.name, p.direction, p.type, None, p.optional)  # type: ignore[arg-type]
            for p in type.parameters
        ]
    )


def apply_table(cx: Context, table: typed.Table, given: list[Given], span: Span) -> typed.Call:
    if cx.place not in (Place.APPLY, Place.KEY):
        raise forbidden_here(cx, f"table `{table.name}` cannot be applied", span)
    if given:
        raise cx.reject("wrong-arguments", given[0].span, "`apply` of a table takes no arguments")
    return typed.Call(typed.TableApply(table), (), ApplyResult(table.name), span)


# Constructors


def construct(
    cx: Context,
    symbol: Symbol,
    types: tuple[Type, ...],
    given: list[Given],
    span: Span,
    named: bool = False,
) -> typed.Construct:
    """Return the constructor call `Name<types>(given)`; `named` in an instantiation."""
    entity = symbol.entity
    match entity:
        case ExternName():
            return _construct_extern(cx, cx.externs[entity.name], types, given, span, named)
        case typed.Parser() | typed.Control():
            if types:
                text = f"`{entity.name}` takes no type arguments"
                raise cx.reject("wrong-type-arguments", span, text)
            kind = "parser" if isinstance(entity, typed.Parser) else "control"
            signature = Signature(
                kind, entity.name, entity.constructor_parameters, block_type(entity), entity.span
            )
            call = invoke(cx, signature, (), given, span)
            return typed.Construct(entity, call.arguments, block_type(entity), span)
        case GenericBlock():
            return _construct_generic(cx, entity, types, given, span)
        case PackageName():
            return _construct_package(cx, entity, types, given, span)
        case TypeName(type=ExternType() as type) if not types:
            return _construct_extern(cx, cx.externs[type.name], type.arguments, given, span, named)
        case _:
            kind = what_it_is(entity)
            help = None
            if isinstance(entity, TypeName):
                help = f"cast instead: `({symbol.name})...`"
            raise cx.reject(
                "not-constructible",
                span,
                f"`{symbol.name}` is {kind}, which cannot be instantiated",
                notes=(Note("it is declared here", symbol.span),),
                help=help,
            )


def _construct_generic(
    cx: Context, generic: GenericBlock, types: tuple[Type, ...], given: list[Given], span: Span
) -> typed.Construct:
    """Construct a block with type parameters; a wanted type may still have to say what they are."""
    pattern = generic.pattern
    type = block_type(pattern)
    signature = Signature(
        type.kind,
        pattern.name.partition("<")[0],
        pattern.constructor_parameters,
        type,
        pattern.span,
        generic.variables,
        open=True,
    )
    call = invoke(cx, signature, types, given, span)
    if any(variable not in call.bindings for variable in generic.variables):
        return typed.Construct(pattern, call.arguments, type, span)
    made = cx.specialise_block(generic, in_order(generic.variables, call.bindings), span)
    return typed.Construct(made, call.arguments, block_type(made), span)


def _construct_extern(
    cx: Context,
    extern: typed.Extern,
    types: tuple[Type, ...],
    given: list[Given],
    span: Span,
    named: bool,
) -> typed.Construct:
    type = ExternType(extern.name, extern.variables)
    refuse_objects(cx, extern.name, types, span)
    if not extern.constructors:
        raise cx.reject(
            "not-constructible",
            span,
            f"extern `{extern.name}` has no constructor",
            notes=(Note("it is declared here", extern.span),),
        )
    signatures = [
        Signature("constructor", extern.name, c.parameters, type, c.span, extern.variables)
        for c in extern.constructors
    ]
    at = choose(cx, signatures, given, span)
    call = invoke(cx, signatures[at], types, given, span)
    if not named and any(m.abstract for m in extern.methods):
        raise cx.reject(
            "missing-method",
            span,
            f"`{extern.name}` has abstract methods, so it needs a name and an initialiser",
            help=f"write `{extern.name}(...) name = {{ ... }};`",
        )
    return typed.Construct(extern, call.arguments, call.result, span)


def _construct_package(
    cx: Context, entity: PackageName, types: tuple[Type, ...], given: list[Given], span: Span
) -> typed.Construct:
    pattern = BlockType(
        "package", entity.name, parameter_types(entity.parameters), entity.variables
    )
    signature = Signature(
        "package", entity.name, entity.parameters, pattern, entity.span, entity.variables
    )
    call = invoke(cx, signature, types, given, span)
    parameters = tuple([substitute_parameter(p, call.bindings) for p in entity.parameters])
    package = typed.Package(entity.name, parameters, entity.span)
    cx.declarations.append(package)
    return typed.Construct(package, call.arguments, substitute(pattern, call.bindings), span)
