"""Types as written become types: names are looked up, widths and sizes are evaluated."""

from __future__ import annotations

from typing import assert_never

from p4xdp.diagnostics import Note, Span
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.scope import (
    BlockName,
    ExternName,
    GenericBlock,
    GenericFields,
    PackageName,
    Symbol,
    TypeName,
    is_type,
    what_it_is,
)
from p4xdp.frontend.typecheck import folding
from p4xdp.frontend.typecheck.context import Context
from p4xdp.frontend.typecheck.inference import substitute
from p4xdp.frontend.typecheck.spelling import quote
from p4xdp.frontend.typecheck.traits import (
    article,
    may_be_in_header,
    may_be_in_struct,
    may_be_in_tuple,
)
from p4xdp.frontend.types import (
    Basic,
    Bit,
    BlockType,
    ExternType,
    Header,
    HeaderUnion,
    Int,
    ListType,
    ParameterType,
    Stack,
    Struct,
    Tuple,
    Type,
    TypeVariable,
    Varbit,
)

LARGEST_WIDTH = 1 << 20
"""Bits; no target carries more, and what is computed at compile time stays small."""

LARGEST_STACK = 1 << 20


def resolve(cx: Context, t: syntax.Type) -> Type:
    """Return the type; every name in it must be declared and have the arguments that it needs."""
    match t:
        case syntax.BaseType():
            return Basic(t.name)
        case syntax.BitType():
            return _sized(cx, t)
        case syntax.NamedType():
            return _named(cx, t)
        case syntax.SpecializedType():
            return _specialised(cx, t)
        case syntax.StackType():
            return _stack(cx, t)
        case syntax.TupleType():
            return Tuple(tuple([_element(cx, e) for e in t.elements]))
        case syntax.DontCareType():
            raise cx.reject("bad-type", t.span, "`_` can only stand for a type argument")
        case _:
            assert_never(t)


def resolve_arguments(cx: Context, types: tuple[syntax.Type, ...]) -> tuple[Type, ...]:
    """Return type arguments, `_` as DONT_CARE."""
    return tuple([_argument(cx, t) for t in types])


def _argument(cx: Context, t: syntax.Type) -> Type:
    return Basic.DONT_CARE if isinstance(t, syntax.DontCareType) else resolve(cx, t)


def constant(cx: Context, e: syntax.Expression, what: str) -> int:
    """Return the value of a number that must be known here and now."""
    value = folding.int_value(cx.evaluate(e))
    if value is None:
        raise cx.reject("not-constant", e.span, f"{what} must be a number known at compile time")
    return value


def _sized(cx: Context, t: syntax.BitType) -> Type:
    if isinstance(t.width, syntax.IntLiteral) and t.width.value > 0:
        width = t.width.value
    else:
        width = constant(cx, t.width, f"the width of `{t.kind}<>`")
    least = 1 if t.kind == "int" else 0
    if not least <= width <= LARGEST_WIDTH:
        raise cx.reject(
            "bad-width",
            t.width.span,
            f"the width of `{t.kind}<>` must be at least {least}, not {width}"
            if width < least
            else f"a width of {width} bits is more than {LARGEST_WIDTH}",
        )
    match t.kind:
        case "bit":
            return Bit(width)
        case "int":
            return Int(width)
        case _:
            return Varbit(width)


def lookup_type(cx: Context, name: syntax.Name) -> Symbol:
    """Return the symbol of a type name; report what is unknown or is no type."""
    symbol = cx.lookup(name, "type", "undeclared-type")
    if not is_type(symbol.entity):
        raise cx.reject(
            "not-a-type",
            name.span,
            f"`{name.text}` is {what_it_is(symbol.entity)}, not a type",
            notes=(Note("it is declared here", symbol.span),),
        )
    return symbol


def _named(cx: Context, t: syntax.NamedType) -> Type:
    symbol = lookup_type(cx, t.name)
    return type_of_entity(cx, symbol, (), t.span)


def type_of_entity(cx: Context, symbol: Symbol, arguments: tuple[Type, ...], span: Span) -> Type:
    """Return the type that a type name with these arguments stands for."""
    entity = symbol.entity
    match entity:
        case TypeName():
            check_arity(cx, symbol, (), arguments, span)
            return entity.type
        case GenericFields():
            return specialise_fields(cx, symbol, entity, arguments, span)
        case ExternName():
            check_arity(cx, symbol, entity.variables, arguments, span)
            refuse_objects(cx, symbol.name, arguments, span)
            return ExternType(entity.name, arguments)
        case BlockName():
            check_arity(cx, symbol, entity.variables, arguments, span)
            pattern = BlockType(entity.kind, entity.name, entity.parameters, entity.variables)
            bindings = dict(zip(entity.variables, arguments, strict=True))
            return substitute(pattern, bindings) if arguments else pattern
        case typed.Parser() | typed.Control() | GenericBlock():
            kind = what_it_is(entity).removeprefix("a ")
            raise cx.reject(
                "not-a-type",
                span,
                f"`{symbol.name}` is a {kind} with a body, which is not a type",
                notes=(Note("it is declared here", symbol.span),),
                help=f"declare a {kind} type: `{kind} Name(...);`",
            )
        case PackageName():
            check_arity(cx, symbol, entity.variables, arguments, span)
            return BlockType("package", entity.name, (), arguments)
        case _:
            raise AssertionError("not a type")


def refuse_objects(cx: Context, name: str, arguments: tuple[Type, ...], span: Span) -> None:
    """Report objects, which have no value, among type arguments."""
    for argument in arguments:
        if isinstance(argument, ExternType | BlockType):
            text = f"{article(argument)} cannot be a type argument of `{name}`"
            raise cx.reject("bad-type-argument", span, text)


def specialise_fields(
    cx: Context, symbol: Symbol, entity: GenericFields, arguments: tuple[Type, ...], span: Span
) -> Type:
    """Return a generic struct, header or header union with its parameters replaced."""
    check_arity(cx, symbol, entity.variables, arguments, span)
    made = substitute(entity.template, dict(zip(entity.variables, arguments, strict=True)))
    assert isinstance(made, Struct | Header | HeaderUnion)
    refuse_objects(cx, symbol.name, arguments, span)
    if Basic.DONT_CARE in arguments:
        raise cx.reject("bad-type", span, f"`_` cannot be a type argument of `{symbol.name}`")
    for field in made.fields:
        if not field_is_legal(made, field.type):
            raise cx.reject(
                "bad-field",
                span,
                f"{article(made)} cannot hold `{field.type}`, the type of field `{field.name}`",
                notes=(Note(f"`{symbol.name}` is declared here", symbol.span),),
            )
    return made


def field_is_legal(container: Struct | Header | HeaderUnion, type: Type) -> bool:
    """Say whether the container may have a field of the type (section 7.2.8)."""
    if isinstance(type, TypeVariable):
        return True
    match container:
        case Header():
            return may_be_in_header(type)
        case HeaderUnion():
            return isinstance(type, Header)
        case Struct():
            return may_be_in_struct(type)


def check_arity(
    cx: Context,
    symbol: Symbol,
    variables: tuple[TypeVariable, ...],
    arguments: tuple[Type, ...],
    span: Span,
) -> None:
    if len(variables) == len(arguments):
        return
    names = ", ".join(variable.name for variable in variables)
    if not variables:
        text = f"`{symbol.name}` takes no type arguments"
    elif not arguments:
        text = f"`{symbol.name}` needs type arguments: `{symbol.name}<{names}>`"
    else:
        text = (
            f"`{symbol.name}<{names}>` needs {len(variables)} type arguments, not {len(arguments)}"
        )
    raise cx.reject(
        "wrong-type-arguments", span, text, notes=(Note("it is declared here", symbol.span),)
    )


def block_type(block: typed.Parser | typed.Control) -> BlockType:
    """Return the type of the instances of a parser or control."""
    kind = "parser" if isinstance(block, typed.Parser) else "control"
    return BlockType(kind, block.name, parameter_types(block.parameters))


def parameter_types(parameters: tuple[typed.Parameter, ...]) -> tuple[ParameterType, ...]:
    return tuple(
        [
            ParameterType(p.direction, p.name, p.type, p.optional, p.default is not None)
            for p in parameters
        ]
    )


def _specialised(cx: Context, t: syntax.SpecializedType) -> Type:
    if t.base.name.text == "list" and cx.find(t.base.name) is None:
        return _list(cx, t)
    symbol = lookup_type(cx, t.base.name)
    return type_of_entity(cx, symbol, resolve_arguments(cx, t.arguments), t.span)


def _list(cx: Context, t: syntax.SpecializedType) -> Type:
    if len(t.arguments) != 1:
        raise cx.reject("wrong-type-arguments", t.span, "`list<T>` needs one type argument")
    return ListType(resolve(cx, t.arguments[0]))


def _stack(cx: Context, t: syntax.StackType) -> Type:
    element = resolve(cx, t.element)
    if isinstance(element, Stack) and isinstance(element.element, Header | HeaderUnion):
        raise cx.reject("bad-element", t.span, "a header stack of header stacks is not possible")
    if not isinstance(element, ExternType) and not may_be_in_struct(element):
        raise cx.reject("bad-element", t.element.span, f"an array cannot hold `{element}`")
    size = constant(cx, t.size, "the size of an array")
    if not 0 <= size <= LARGEST_STACK:
        text = f"the size of an array must not be negative: {quote(t.size)} is {size}"
        if size > 0:
            text = f"an array of {size} elements is too large"
        raise cx.reject("bad-size", t.size.span, text)
    return Stack(element, size)


def _element(cx: Context, t: syntax.Type) -> Type:
    element = resolve(cx, t)
    if not may_be_in_tuple(element):
        raise cx.reject("bad-element", t.span, f"a tuple cannot hold `{element}`")
    return element
