"""Parts of values: fields, stack and tuple elements, slices, results of `apply`."""

from __future__ import annotations

from collections.abc import Iterable

from p4xdp.diagnostics import Span
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.scope import nearest
from p4xdp.frontend.typecheck import folding
from p4xdp.frontend.typecheck.context import Context, Rejected
from p4xdp.frontend.typecheck.conversion import describe, is_known, type_error
from p4xdp.frontend.typecheck.operators import to_underlying
from p4xdp.frontend.typecheck.traits import article, field_of, is_header_stack, is_numeric
from p4xdp.frontend.types import (
    ApplyResult,
    Basic,
    Bit,
    EnumType,
    Header,
    HeaderUnion,
    Int,
    ListShape,
    SerializableEnum,
    Stack,
    Struct,
    StructShape,
    Tuple,
    Type,
)

_STACK_PROPERTIES = ("next", "last", "lastIndex", "size")


def no_member(
    cx: Context, name: syntax.Name, owner: str, members: Iterable[str], kind: str = "member"
) -> Rejected:
    """Report an unknown member, with the nearest one as help."""
    best = nearest(name.text, iter(members))
    return cx.reject(
        "no-such-member" if kind != "field" else "no-such-field",
        name.span,
        f"{owner} has no {kind} `{name.text}`",
        help=f"did you mean `{best}`?" if best else None,
    )


def member(cx: Context, base: typed.Expression, name: syntax.Name, span: Span) -> typed.Expression:
    """Return `base.name` where `base` is a value; methods are looked up by calls."""
    match base.type:
        case Struct() | Header() | HeaderUnion():
            return _field(cx, base, base.type, name, span)
        case Stack():
            return _stack_property(cx, base, base.type, name, span)
        case ApplyResult():
            return _table_result(cx, base, name, span)
        case StructShape() if isinstance(base, typed.StructLiteral):
            for field, value in base.fields:
                if field == name.text:
                    return value
            raise no_member(cx, name, "the expression", (f for f, _ in base.fields), "field")
        case _:
            raise cx.reject(
                "no-such-member",
                name.span,
                f"a value of {describe(base.type)} has no member `{name.text}`",
            )


def _field(
    cx: Context,
    base: typed.Expression,
    type: Struct | Header | HeaderUnion,
    name: syntax.Name,
    span: Span,
) -> typed.Expression:
    field = field_of(type, name.text)
    if field is None:
        raise no_member(cx, name, f"`{type}`", (f.name for f in type.fields), "field")
    constant = base
    if isinstance(constant, typed.Ref) and isinstance(constant.declaration, typed.Constant):
        constant = constant.declaration.value
    if isinstance(constant, typed.StructLiteral) and is_known(cx, constant):
        return dict(constant.fields)[name.text]
    return typed.Field(base, name.text, field.type, span)


def _stack_property(
    cx: Context, base: typed.Expression, type: Stack, name: syntax.Name, span: Span
) -> typed.Expression:
    if name.text == "size":
        return typed.Literal(type.size, Bit(32), span)
    if name.text not in _STACK_PROPERTIES or not is_header_stack(type):
        known = _STACK_PROPERTIES if is_header_stack(type) else ("size",)
        raise no_member(cx, name, article(type), known)
    if not cx.place.in_parser:
        raise cx.reject(
            "not-allowed-here",
            name.span,
            f"`{name.text}` of a header stack can only be used in a parser, not {cx.place.value}",
            help="use an index, as in `stack[0]`",
        )
    match name.text:
        case "next":
            return typed.StackProperty(base, "next", type.element, span)
        case "last":
            return typed.StackProperty(base, "last", type.element, span)
        case _:
            return typed.StackProperty(base, "lastIndex", Bit(32), span)


def _table_result(
    cx: Context, base: typed.Expression, name: syntax.Name, span: Span
) -> typed.Expression:
    assert isinstance(base, typed.Call)
    assert isinstance(base.type, ApplyResult)
    match name.text:
        case "hit":
            return typed.TableResult(base, "hit", Basic.BOOL, span)
        case "miss":
            return typed.TableResult(base, "miss", Basic.BOOL, span)
        case "action_run":
            raise cx.reject(
                "not-allowed-here",
                span,
                "`action_run` can only be the whole expression of a `switch`",
                help="write `switch (t.apply().action_run) { ... }`",
            )
        case _:
            raise no_member(
                cx,
                name,
                f"the result of `{base.type.table}.apply()`",
                ("hit", "miss", "action_run"),
            )


def type_member(cx: Context, type: Type, name: syntax.Name, span: Span) -> typed.Expression:
    """Return `Type.name`: a member of an enum or an error."""
    match type:
        case EnumType(members=members):
            if name.text not in members:
                raise no_member(cx, name, f"enum `{type}`", members)
            return typed.EnumMember(name.text, type, span)
        case SerializableEnum(members=pairs):
            for member_name, value in pairs:
                if member_name == name.text:
                    return typed.Literal(value, type, span)
            raise no_member(cx, name, f"enum `{type}`", (n for n, _ in pairs))
        case Basic.ERROR:
            if name.text not in cx.errors:
                raise no_member(cx, name, "`error`", cx.errors)
            return typed.EnumMember(name.text, type, span)
        case _:
            raise cx.reject(
                "no-such-member", name.span, f"the type `{type}` has no member `{name.text}`"
            )


def index(
    cx: Context, base: typed.Expression, at: typed.Expression, span: Span
) -> typed.Expression:
    """Return `base[at]` for a stack, an array or a tuple."""
    at = to_underlying(at)
    if not is_numeric(at.type):
        raise type_error(cx, at, "a number", "an index")
    value = folding.int_value(at)
    match base.type:
        case Stack(element=element, size=size):
            if not cx.unevaluated:
                _check_index(cx, at, value, size, f"`{base.type}`")
            return typed.StackIndex(base, at, element, span)
        case Tuple(elements=elements) | ListShape(elements=elements):
            return _tuple_index(cx, base, elements, at, value, span)
        case _:
            help = "a slice needs two bounds, as in `x[3:0]`" if is_numeric(base.type) else None
            raise cx.reject(
                "bad-operand", span, f"a value of {describe(base.type)} has no elements", help=help
            )


def _tuple_index(
    cx: Context,
    base: typed.Expression,
    elements: tuple[Type, ...],
    at: typed.Expression,
    value: int | None,
    span: Span,
) -> typed.Expression:
    if value is None:
        raise cx.reject(
            "not-constant", at.span, "the index of a tuple must be known at compile time"
        )
    _check_index(cx, at, value, len(elements), f"`{base.type}`")
    if isinstance(base, typed.TupleLiteral) and is_known(cx, base):
        return base.elements[value]
    if isinstance(base, typed.Ref) and isinstance(base.declaration, typed.Constant):
        constant = base.declaration.value
        if isinstance(constant, typed.TupleLiteral):
            return constant.elements[value]
    return typed.TupleIndex(base, value, elements[value], span)


def _check_index(
    cx: Context, at: typed.Expression, value: int | None, size: int, what: str
) -> None:
    if value is not None and not 0 <= value < size:
        text = f"index {value} is outside {what}, which has {size} elements"
        raise cx.reject("out-of-range", at.span, text)


def slice_(
    cx: Context,
    base: typed.Expression,
    high: typed.Expression,
    low: typed.Expression,
    span: Span,
) -> typed.Expression:
    """Return `base[high:low]`."""
    base = to_underlying(base)
    width = _sliced_width(cx, base)
    top, bottom = _bound(cx, high, "high"), _bound(cx, low, "low")
    if top < bottom:
        raise cx.reject(
            "out-of-range",
            span,
            f"the high bound {top} of a slice is less than the low bound {bottom}",
        )
    if width is not None and top >= width:
        raise cx.reject(
            "out-of-range",
            high.span,
            f"bit {top} is outside `{base.type}`, whose highest bit is {width - 1}",
        )
    if width is None and top - bottom >= folding.LARGEST_SHIFT:
        raise cx.reject("out-of-range", span, f"a slice of {top - bottom + 1} bits is too wide")
    value = folding.int_value(base)
    type = Bit(top - bottom + 1)
    if value is not None:
        return typed.Literal(folding.slice_bits(value, top, bottom), type, span)
    return typed.Slice(base, top, bottom, type, span)


def _sliced_width(cx: Context, base: typed.Expression) -> int | None:
    if isinstance(base.type, Bit | Int):
        return base.type.width
    if base.type is Basic.INT:
        return None
    raise cx.reject("bad-operand", base.span, f"a value of {describe(base.type)} cannot be sliced")


def _bound(cx: Context, e: typed.Expression, which: str) -> int:
    value = folding.int_value(to_underlying(e))
    if value is None:
        raise cx.reject(
            "not-constant", e.span, f"the {which} bound of a slice must be known at compile time"
        )
    if value < 0:
        raise cx.reject(
            "out-of-range", e.span, f"the {which} bound of a slice is negative: {value}"
        )
    return value


def plus_slice(
    cx: Context,
    base: typed.Expression,
    low: typed.Expression,
    width: typed.Expression,
    span: Span,
) -> typed.Expression:
    """Return `base[low+:width]`, an ordinary slice where `low` is a constant that fits."""
    base, low = to_underlying(base), to_underlying(low)
    total = _sliced_width(cx, base)
    bits = folding.int_value(to_underlying(width))
    if bits is None:
        raise cx.reject(
            "not-constant", width.span, "the width of a slice must be known at compile time"
        )
    if bits < 1 or (total is not None and bits > total):
        raise cx.reject("out-of-range", width.span, f"a slice of {bits} bits of `{base.type}`")
    value = folding.int_value(low)
    if value is None and not isinstance(low.type, Bit) and not is_known(cx, low):
        raise type_error(cx, low, "unsigned", "the low bound of a slice")
    if value is not None:
        if value < 0 or (total is not None and value >= total):
            raise cx.reject("out-of-range", low.span, f"bit {value} is outside `{base.type}`")
        if total is None or value + bits <= total:
            constant = typed.Literal(value + bits - 1, Basic.INT, low.span)
            return slice_(cx, base, constant, low, span)
    return typed.DynamicSlice(base, low, bits, Bit(bits), span)
