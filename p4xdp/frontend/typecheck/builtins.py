"""Methods that the language itself defines, and what core.p4's methods ask of their arguments."""

from __future__ import annotations

from p4xdp.diagnostics import Span
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.typecheck import folding
from p4xdp.frontend.typecheck.arguments import Given
from p4xdp.frontend.typecheck.context import Context, Place
from p4xdp.frontend.typecheck.conversion import lvalue_fault, require_known
from p4xdp.frontend.typecheck.traits import (
    article,
    contains_variable,
    count_varbits,
    is_header_stack,
    size_in_bits,
    strip,
)
from p4xdp.frontend.types import (
    Basic,
    Bit,
    Header,
    HeaderUnion,
    Int,
    SerializableEnum,
    Stack,
    Struct,
    Tuple,
    Type,
)

SIZES = ("minSizeInBits", "minSizeInBytes", "maxSizeInBits", "maxSizeInBytes")


def methods_of(type: Type) -> tuple[str, ...]:
    """Return the names of the built-in methods of a value of the type."""
    match type:
        case Header():
            return ("isValid", "setValid", "setInvalid", *SIZES)
        case HeaderUnion():
            return ("isValid", *SIZES)
        case Stack():
            return ("push_front", "pop_front", *SIZES) if is_header_stack(type) else SIZES
        case Struct() | Tuple() | Bit() | Int() | SerializableEnum():
            return SIZES
        case _:
            return SIZES if size_in_bits(type, False) is not None else ()


def call_builtin(
    cx: Context, base: typed.Expression, name: syntax.Name, given: list[Given], span: Span
) -> typed.Expression:
    """Return the call of a built-in method of `base`, which has one of this name."""
    if name.text in SIZES:
        _no_arguments(cx, name, given)
        return size_of(cx, base.type, name, span)
    if name.text in ("push_front", "pop_front"):
        return _push_or_pop(cx, base, name, given, span)
    _no_arguments(cx, name, given)
    if name.text == "isValid":
        return typed.Call(typed.BuiltinCallee(base, "isValid"), (), Basic.BOOL, span)
    _require_written(cx, base, name)
    return typed.Call(typed.BuiltinCallee(base, name.text), (), Basic.VOID, span)


def _no_arguments(cx: Context, name: syntax.Name, given: list[Given]) -> None:
    if given:
        raise cx.reject("wrong-arguments", given[0].span, f"`{name.text}` takes no arguments")


def _require_written(cx: Context, base: typed.Expression, name: syntax.Name) -> None:
    fault = lvalue_fault(base)
    if fault is not None:
        text = f"`{name.text}` needs something that can be written to: {fault}"
        raise cx.reject("not-an-lvalue", base.span, text)


def _push_or_pop(
    cx: Context, base: typed.Expression, name: syntax.Name, given: list[Given], span: Span
) -> typed.Expression:
    _require_written(cx, base, name)
    if len(given) != 1 or given[0].value is None:
        raise cx.reject("wrong-arguments", span, f"`{name.text}` takes one argument, the count")
    count = folding.int_value(given[0].value)
    if count is None:
        raise cx.reject(
            "not-constant",
            given[0].span,
            f"the count of `{name.text}` must be known at compile time",
        )
    if count < 0:
        text = f"the count of `{name.text}` must not be negative: {count}"
        raise cx.reject("out-of-range", given[0].span, text)
    argument = typed.Literal(count, Basic.INT, given[0].span)
    return typed.Call(typed.BuiltinCallee(base, name.text), (argument,), Basic.VOID, span)


def size_of(cx: Context, type: Type, name: syntax.Name, span: Span) -> typed.Expression:
    """Return `minSizeInBits()` and its kin of a type, as a number."""
    bits = size_in_bits(type, name.text.startswith("max"))
    if bits is None:
        help = "it depends on a type parameter" if contains_variable(type) else None
        raise cx.reject("bad-operand", span, f"`{type}` has no size in bits", help=help)
    value = bits if name.text.endswith("Bits") else (bits + 7) >> 3
    return typed.Literal(value, Basic.INT, span)


def check_core_method(
    cx: Context,
    extern: str,
    name: str,
    arguments: tuple[typed.Expression | None, ...],
    type_arguments: tuple[Type, ...],
    span: Span,
) -> None:
    """Check what core.p4 says about `extract`, `lookahead`, `advance` and `emit` in words."""
    if extern == "packet_in":
        _check_packet_in(cx, name, arguments, type_arguments, span)
    elif extern == "packet_out" and name == "emit" and type_arguments:
        if not _can_be_emitted(type_arguments[0]):
            raise cx.reject(
                "bad-argument",
                _place(arguments, span),
                "only headers and what holds headers can be emitted, not"
                f" {article(type_arguments[0])}",
            )


def _place(arguments: tuple[typed.Expression | None, ...], span: Span) -> Span:
    first = arguments[0] if arguments else None
    return first.span if first is not None else span


def _check_packet_in(
    cx: Context,
    name: str,
    arguments: tuple[typed.Expression | None, ...],
    type_arguments: tuple[Type, ...],
    span: Span,
) -> None:
    if not type_arguments:
        return
    type = type_arguments[0]
    if name == "lookahead":
        size = size_in_bits(strip(type), False)
        if size is None or count_varbits(type):
            raise cx.reject(
                "bad-argument", span, f"`lookahead` needs a type of fixed size, not `{type}`"
            )
        return
    if name != "extract":
        return
    if not isinstance(type, Header):
        raise cx.reject(
            "bad-argument",
            _place(arguments, span),
            f"only a header can be extracted, not {article(type)}",
            help="name one header of it" if isinstance(type, Struct | HeaderUnion) else None,
        )
    varbits = count_varbits(type)
    if len(arguments) == 1 and varbits:
        raise cx.reject(
            "bad-argument",
            _place(arguments, span),
            f"`{type}` has a `varbit` field: its size is needed as a second argument",
            help="write `extract(header, size_in_bits)`",
        )
    if len(arguments) == 2 and varbits != 1:
        raise cx.reject(
            "bad-argument",
            _place(arguments, span),
            f"`extract` with a size needs a header with one `varbit` field; `{type}` has {varbits}",
        )


def _can_be_emitted(type: Type) -> bool:
    match type:
        case Header() | HeaderUnion():
            return True
        case Stack(element=element):
            return _can_be_emitted(element)
        case Struct(fields=fields):
            return all(_can_be_emitted(field.type) for field in fields)
        case Tuple(elements=elements):
            return all(map(_can_be_emitted, elements))
        case _:
            return contains_variable(type)


def check_core_function(
    cx: Context, name: str, arguments: tuple[typed.Expression | None, ...], span: Span
) -> bool:
    """Check where `verify` stands and what `static_assert` says: True when it holds."""
    if name == "verify" and cx.place is not Place.STATE:
        raise cx.reject(
            "not-allowed-here", span, f"`verify` can only be used in a parser, not {cx.place.value}"
        )
    if name != "static_assert" or not arguments or arguments[0] is None:
        return False
    holds = folding.bool_value(arguments[0])
    require_known(cx, arguments[0], "what `static_assert` checks")
    if holds is False:
        message = arguments[1] if len(arguments) > 1 else None
        text = "static assertion failed"
        if isinstance(message, typed.Literal):
            text = f"{text}: {message.value}"
        raise cx.reject("static-assert", span, text)
    return holds is True
