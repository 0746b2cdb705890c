"""Expressions: syntax trees come in, typed expressions come out, constants folded (section 8)."""

from __future__ import annotations

from typing import assert_never

from p4xdp.diagnostics import Note, Span
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.scope import Broken, GenericBlock, Overloads, Symbol, is_type, what_it_is
from p4xdp.frontend.typecheck import folding
from p4xdp.frontend.typecheck.annotations import unescaped
from p4xdp.frontend.typecheck.arguments import Given
from p4xdp.frontend.typecheck.builtins import SIZES, size_of
from p4xdp.frontend.typecheck.callees import (
    apply_block,
    apply_table,
    call_member,
    call_overloads,
    construct,
)
from p4xdp.frontend.typecheck.context import Context, Rejected
from p4xdp.frontend.typecheck.conversion import cast
from p4xdp.frontend.typecheck.members import (
    index,
    member,
    no_member,
    plus_slice,
    slice_,
    type_member,
)
from p4xdp.frontend.typecheck.operators import binary, condition, conditional, unary
from p4xdp.frontend.typecheck.resolve import (
    block_type,
    check_arity,
    lookup_type,
    resolve,
    resolve_arguments,
    type_of_entity,
)
from p4xdp.frontend.types import (
    Basic,
    Bit,
    FieldType,
    Int,
    ListShape,
    StructShape,
    Type,
)

_Simple = (
    syntax.IntLiteral
    | syntax.BoolLiteral
    | syntax.StringLiteral
    | syntax.NameExpr
    | syntax.TypeExpr
    | syntax.This
    | syntax.InvalidHeader
    | syntax.Default
)


def expression(cx: Context, e: syntax.Expression) -> typed.Expression:
    """Return the typed expression; raises Rejected where an error was reported."""
    match e:
        case syntax.Binary():
            return _binaries(cx, e)
        case syntax.Member():
            return _member(cx, e)
        case syntax.Call():
            return call(cx, e)
        case syntax.Index():
            return index(cx, expression(cx, e.base), expression(cx, e.index), e.span)
        case syntax.Slice():
            return _slice(cx, e)
        case syntax.Unary():
            return unary(cx, e.op, expression(cx, e.operand), e.span)
        case syntax.Conditional():
            return _conditional(cx, e)
        case syntax.Cast():
            operand = expression(cx, e.operand)
            return cast(cx, operand, resolve(cx, e.type), e.span, e.operand)
        case syntax.ListExpr():
            return _list(cx, e)
        case syntax.StructExpr():
            return _struct(cx, e)
        case _:
            return _simple(cx, e)


def _simple(cx: Context, e: _Simple) -> typed.Expression:
    match e:
        case syntax.IntLiteral():
            return folding.number(e.value, _literal_type(e), e.span)
        case syntax.NameExpr():
            return _name(cx, e)
        case syntax.BoolLiteral():
            return folding.boolean(e.value, e.span)
        case syntax.StringLiteral():
            return typed.Literal(unescaped(e.value), Basic.STRING, e.span)
        case syntax.TypeExpr():
            raise cx.reject("not-a-value", e.span, "a type stands where a value is needed")
        case syntax.This():
            if cx.this is None:
                text = "`this` can only be used in the methods of an instance"
                raise cx.reject("not-allowed-here", e.span, text)
            return typed.This(cx.this, e.span)
        case syntax.InvalidHeader():
            return typed.InvalidHeader(Basic.DONT_CARE, e.span)
        case syntax.Default():
            return typed.DefaultValue(Basic.DONT_CARE, e.span)
        case _:
            assert_never(e)


def _literal_type(e: syntax.IntLiteral) -> Type:
    if e.width is None:
        return Basic.INT
    return Int(e.width) if e.signed else Bit(e.width)


# Names


def _name(cx: Context, e: syntax.NameExpr) -> typed.Expression:
    return _found_name(cx, e, cx.find(e.name))


def _found_name(cx: Context, e: syntax.NameExpr, symbol: Symbol | None) -> typed.Expression:
    if symbol is None and e.name.text in cx.match_kinds:
        return typed.EnumMember(e.name.text, Basic.MATCH_KIND, e.span)
    return _value(cx, symbol or cx.lookup(e.name), e.span)


def _value(cx: Context, symbol: Symbol, span: Span) -> typed.Expression:
    entity = symbol.entity
    help: str | None = None
    match entity:
        case typed.Constant(value=typed.Literal() as literal):
            return typed.Literal(literal.value, literal.type, span)
        case typed.Constant(value=typed.EnumMember() as name):
            return typed.EnumMember(name.name, name.type, span)
        case typed.Variable() | typed.Parameter() | typed.Constant() | typed.Instance():
            return typed.Ref(entity, entity.type, span)
        case typed.Table():
            help = f"write `{symbol.name}.apply()`"
        case Overloads():
            help = f"write `{symbol.name}(...)` to call it"
        case _:
            pass
    if isinstance(entity, Broken):
        raise Rejected
    raise cx.reject(
        "not-a-value",
        span,
        f"`{symbol.name}` is {what_it_is(entity)}, not a value",
        notes=(Note("it is declared here", symbol.span),),
        help=help,
    )


def _type_symbol(cx: Context, e: syntax.Expression) -> Symbol | None:
    """Return the symbol of a type name that stands as an expression, None for anything else."""
    if not isinstance(e, syntax.NameExpr):
        return None
    symbol = cx.find(e.name)
    return symbol if symbol is not None and is_type(symbol.entity) else None


# Parts


def _member(cx: Context, e: syntax.Member) -> typed.Expression:
    base = e.base
    if isinstance(base, syntax.TypeExpr):
        return type_member(cx, resolve(cx, base.type), e.name, e.span)
    if not isinstance(base, syntax.NameExpr):
        return member(cx, expression(cx, base), e.name, e.span)
    symbol = cx.find(base.name)
    if symbol is not None and is_type(symbol.entity):
        return type_member(cx, type_of_entity(cx, symbol, (), base.span), e.name, e.span)
    return member(cx, _found_name(cx, base, symbol), e.name, e.span)


def _slice(cx: Context, e: syntax.Slice) -> typed.Expression:
    base = expression(cx, e.base)
    first, second = expression(cx, e.high), expression(cx, e.low)
    if e.plus:
        return plus_slice(cx, base, first, second, e.span)
    return slice_(cx, base, first, second, e.span)


# Operators


def _binaries(cx: Context, e: syntax.Binary) -> typed.Expression:
    """Check a run of binary operators; its left spine may be long, so no recursion along it."""
    spine = [e]
    while isinstance(spine[-1].left, syntax.Binary):
        spine.append(spine[-1].left)
    result = expression(cx, spine[-1].left)
    for node in reversed(spine):
        result = binary(cx, node, result, expression(cx, node.right))
    return result


def _conditional(cx: Context, e: syntax.Conditional) -> typed.Expression:
    test = condition(cx, expression(cx, e.condition), "the condition of `?:`")
    return conditional(cx, e, test, expression(cx, e.then), expression(cx, e.otherwise))


# Lists


def _list(cx: Context, e: syntax.ListExpr) -> typed.Expression:
    elements = tuple(_each(cx, e.elements))
    shape = ListShape(tuple([element.type for element in elements]), e.rest)
    return typed.TupleLiteral(elements, shape, e.span)


def _each(cx: Context, parts: tuple[syntax.Expression, ...]) -> list[typed.Expression]:
    """Check every part, so that each one's error is found."""
    values: list[typed.Expression] = []
    for part in parts:
        try:
            values.append(expression(cx, part))
        except Rejected:
            continue
    if len(values) < len(parts):
        raise Rejected
    return values


def _struct(cx: Context, e: syntax.StructExpr) -> typed.Expression:
    seen: dict[str, Span] = {}
    for name, _ in e.fields:
        if name.text in seen:
            cx.diagnostics.error(
                "duplicate",
                name.span,
                f"field `{name.text}` is given twice",
                notes=(Note("the first one is here", seen[name.text]),),
            )
            raise Rejected
        seen[name.text] = name.span
    values = _each(cx, tuple([value for _, value in e.fields]))
    names = [name.text for name, _ in e.fields]
    fields = tuple(zip(names, values, strict=True))
    shape = StructShape(tuple([FieldType(n, v.type) for n, v in fields]), e.rest)
    return typed.StructLiteral(fields, shape, e.span)


# Calls


def arguments(cx: Context, parts: tuple[syntax.Argument, ...]) -> list[Given]:
    """Check the arguments of a call by themselves, every one."""
    given: list[Given] = []
    for part in parts:
        try:
            value = None if part.value is None else expression(cx, part.value)
            given.append(Given(part.name, value, part.value, part.span))
        except Rejected:
            continue
    if len(given) < len(parts):
        raise Rejected
    return given


def call(cx: Context, e: syntax.Call) -> typed.Expression:
    """Return a call of anything, or the construction of an object."""
    match e.callee:
        case syntax.NameExpr(name=name):
            return _call_name(cx, cx.lookup(name, "function"), e)
        case syntax.TypeExpr(type=type):
            return _call_type(cx, type, e)
        case syntax.Member(base=syntax.TypeExpr(type=type), name=name):
            return _call_on_type(cx, type, name, e)
        case syntax.Member():
            return _call_member(cx, e.callee, e)
        case _:
            raise cx.reject("not-callable", e.callee.span, "this expression cannot be called")


def _call_name(cx: Context, symbol: Symbol, e: syntax.Call) -> typed.Expression:
    types = resolve_arguments(cx, e.type_arguments)
    entity = symbol.entity
    if isinstance(entity, Overloads):
        return call_overloads(cx, symbol.name, entity, types, arguments(cx, e.arguments), e.span)
    if is_type(entity):
        return construct(cx, symbol, types, arguments(cx, e.arguments), e.span)
    help = f"write `{symbol.name}.apply()`" if isinstance(entity, typed.Table) else None
    raise cx.reject(
        "not-callable",
        e.callee.span,
        f"`{symbol.name}` is {what_it_is(entity)}, which cannot be called",
        notes=(Note("it is declared here", symbol.span),),
        help=help,
    )


def _call_type(cx: Context, type: syntax.Type, e: syntax.Call) -> typed.Expression:
    match type:
        case syntax.NamedType():
            return _call_name(cx, lookup_type(cx, type.name), e)
        case syntax.SpecializedType():
            symbol = lookup_type(cx, type.base.name)
            types = resolve_arguments(cx, type.arguments)
            return construct(cx, symbol, types, arguments(cx, e.arguments), e.span)
        case _:
            text = f"`{resolve(cx, type)}` cannot be instantiated"
            raise cx.reject("not-constructible", e.callee.span, text)


def _call_on_type(
    cx: Context, type: syntax.Type, name: syntax.Name, e: syntax.Call
) -> typed.Expression:
    """Return `Type.apply(...)`, the direct form, or `Type.minSizeInBits()` and its kin."""
    if isinstance(type, syntax.NamedType):
        return _call_on_symbol(cx, lookup_type(cx, type.name), (), name, type.span, e)
    if isinstance(type, syntax.SpecializedType):
        symbol = cx.find(type.base.name)
        if symbol is not None and isinstance(symbol.entity, GenericBlock):
            types = resolve_arguments(cx, type.arguments)
            return _call_on_symbol(cx, symbol, types, name, type.span, e)
    return _size(cx, resolve(cx, type), name, e)


def _size(cx: Context, type: Type, name: syntax.Name, e: syntax.Call) -> typed.Expression:
    if name.text not in SIZES:
        raise no_member(cx, name, f"type `{type}`", SIZES, "method")
    if e.arguments:
        raise cx.reject("wrong-arguments", e.span, f"`{name.text}` takes no arguments")
    return size_of(cx, type, name, e.span)


def _call_on_symbol(
    cx: Context,
    symbol: Symbol,
    types: tuple[Type, ...],
    name: syntax.Name,
    span: Span,
    e: syntax.Call,
) -> typed.Expression:
    entity = symbol.entity
    if isinstance(entity, GenericBlock):
        check_arity(cx, symbol, entity.variables, types, span)
        entity = cx.specialise_block(entity, types, span)
    if not isinstance(entity, typed.Parser | typed.Control):
        return _size(cx, type_of_entity(cx, symbol, (), span), name, e)
    if name.text != "apply":
        raise no_member(cx, name, f"`{entity.name}`", ("apply",), "method")
    if entity.constructor_parameters:
        raise cx.reject(
            "not-allowed-here",
            span,
            f"`{entity.name}` has constructor parameters, so it cannot be applied directly",
            help=f"instantiate it first: `{entity.name}(...) instance;`",
        )
    instance = typed.Construct(entity, (), block_type(entity), span)
    return apply_block(cx, instance, arguments(cx, e.arguments), e.span)


def _call_member(cx: Context, callee: syntax.Member, e: syntax.Call) -> typed.Expression:
    base, name = callee.base, callee.name
    symbol = _type_symbol(cx, base)
    if symbol is not None:
        return _call_on_symbol(cx, symbol, (), name, base.span, e)
    if isinstance(base, syntax.NameExpr):
        found = cx.find(base.name)
        if found is not None and isinstance(found.entity, typed.Table):
            return _call_table(cx, found.entity, name, e)
    outer, cx.unevaluated = cx.unevaluated, cx.unevaluated or name.text in SIZES
    try:
        value = expression(cx, base)
    finally:
        cx.unevaluated = outer
    types = resolve_arguments(cx, e.type_arguments)
    return call_member(cx, value, name, types, arguments(cx, e.arguments), e.span)


def _call_table(
    cx: Context, table: typed.Table, name: syntax.Name, e: syntax.Call
) -> typed.Expression:
    if name.text != "apply":
        raise no_member(cx, name, f"table `{table.name}`", ("apply",), "method")
    return apply_table(cx, table, arguments(cx, e.arguments), e.span)
