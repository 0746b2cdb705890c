"""Keysets: labels of select and table entries meet the keys, scalar by scalar (section 8.13)."""

from __future__ import annotations

from collections.abc import Sequence

from p4xdp.diagnostics import Span
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.typecheck.context import Context
from p4xdp.frontend.typecheck.conversion import convert, describe
from p4xdp.frontend.typecheck.expressions import expression
from p4xdp.frontend.typecheck.operators import to_underlying
from p4xdp.frontend.typecheck.traits import is_numeric, strip
from p4xdp.frontend.types import (
    Basic,
    Bit,
    EnumType,
    Int,
    ListShape,
    NewType,
    SerializableEnum,
    Struct,
    Tuple,
    Type,
)
from p4xdp.records import dataclass


@dataclass(frozen=True, slots=True)
class Key:
    """What a keyset is compared with: `name` for messages."""

    name: str
    type: Type


def leaves(type: Type) -> tuple[Type, ...] | None:
    """Return the scalar types of a select key, None when it holds something else."""
    match type:
        case Bit() | Int() | SerializableEnum() | EnumType() | Basic.BOOL | Basic.ERROR:
            return (type,)
        case NewType(target=target):
            return None if leaves(target) is None else (type,)
        case Tuple(elements=elements):
            return _leaves_of(elements)
        case Struct(fields=fields):
            return _leaves_of([field.type for field in fields])
        case _:
            return None


def _leaves_of(types: Sequence[Type]) -> tuple[Type, ...] | None:
    found: list[Type] = []
    for type in types:
        inner = leaves(type)
        if inner is None:
            return None
        found += inner
    return tuple(found)


def keysets(
    cx: Context, written: syntax.Keyset, keys: Sequence[Key], where: str
) -> tuple[typed.Keyset, ...]:
    """Return one keyset for each scalar of `keys`, or a single AnyKey for all of them."""
    if isinstance(written, syntax.DontCareKey):
        return (typed.AnyKey(written.span),)
    parts: tuple[syntax.Keyset, ...] = (written,)
    if isinstance(written, syntax.TupleKey) and not _is_one_key(written, keys):
        parts = written.elements
    if len(keys) > 1 and len(parts) == 1 and isinstance(parts[0], syntax.ValueKey):
        value = parts[0].value
        if isinstance(value, syntax.ListExpr):
            parts = tuple([syntax.ValueKey(e, e.span) for e in value.elements])
    if len(parts) != len(keys):
        raise cx.reject(
            "wrong-count",
            written.span,
            f"{len(parts)} value{'s' * (len(parts) != 1)} for the {len(keys)} keys of {where}"
            if len(keys) != 1
            else f"{len(parts)} values for the one key of {where}",
        )
    found: list[typed.Keyset] = []
    for part, key in zip(parts, keys, strict=True):
        found += _keyset(cx, part, key)
    return tuple(found)


def _is_one_key(written: syntax.TupleKey, keys: Sequence[Key]) -> bool:
    """Say whether a tuple of keysets stands for the one key, which is a tuple or struct itself."""
    return (
        len(keys) == 1 and isinstance(keys[0].type, Tuple | Struct) and len(written.elements) != 1
    )


def _keyset(cx: Context, written: syntax.Keyset, key: Key) -> list[typed.Keyset]:
    match written:
        case syntax.DontCareKey():
            count = len(leaves(key.type) or ())
            return [typed.AnyKey(written.span)] * count
        case syntax.TupleKey():
            return _compound(cx, written, key)
        case syntax.ValueKey():
            return _value(cx, written, key)
        case syntax.MaskKey():
            value, mask = _pair(cx, written.value, written.mask, "&&&", key, written.span)
            return [typed.MaskKey(value, mask, written.span)]
        case syntax.RangeKey():
            low, high = _pair(cx, written.low, written.high, "..", key, written.span)
            return [typed.RangeKey(low, high, written.span)]


def _compound(cx: Context, written: syntax.TupleKey, key: Key) -> list[typed.Keyset]:
    match key.type:
        case Tuple(elements=elements):
            keys = [Key(f"element {i} of {key.name}", type) for i, type in enumerate(elements)]
        case Struct(fields=fields):
            keys = [Key(f"`{field.name}` of {key.name}", field.type) for field in fields]
        case _ if len(written.elements) == 1:
            return _keyset(cx, written.elements[0], key)
        case _:
            raise cx.reject(
                "type-mismatch", written.span, f"a tuple of values for {key.name} (`{key.type}`)"
            )
    return list(keysets(cx, syntax.TupleKey(written.elements, written.span), keys, key.name))


def _value(cx: Context, written: syntax.ValueKey, key: Key) -> list[typed.Keyset]:
    source = written.value
    if isinstance(source, syntax.ListExpr) and len(source.elements) == 1:
        if leaves(key.type) == (key.type,):
            source = source.elements[0]
    value = expression(cx, source)
    value = convert(
        cx,
        value,
        key.type,
        lambda given: f"cannot match {given} with {key.name} (`{key.type}`)",
        source,
    )
    return _split(cx, value, written.span)


def _split(cx: Context, value: typed.Expression, span: Span) -> list[typed.Keyset]:
    """Return a ValueKey for each scalar of a value."""
    constant = value
    if isinstance(value, typed.Ref) and isinstance(value.declaration, typed.Constant):
        constant = value.declaration.value
    parts: list[typed.Expression]
    match constant, constant.type:
        case typed.StructLiteral(), Struct(fields=fields):
            given = dict(constant.fields)
            parts = [given[field.name] for field in fields]
        case typed.TupleLiteral(), _:
            parts = list(constant.elements)
        case _, Struct(fields=fields):
            parts = [typed.Field(value, f.name, f.type, span) for f in fields]
        case _, Tuple(elements=elements):
            parts = [typed.TupleIndex(value, i, t, span) for i, t in enumerate(elements)]
        case _:
            return [typed.ValueKey(value, span)]
    return [key for part in parts for key in _split(cx, part, span)]


def _pair(
    cx: Context,
    first: syntax.Expression,
    second: syntax.Expression,
    op: str,
    key: Key,
    span: Span,
) -> tuple[typed.Expression, typed.Expression]:
    """Check the two numbers of a mask or range."""
    plain = strip(key.type)
    if not isinstance(plain, Bit | Int):
        raise cx.reject("bad-operand", span, f"`{op}` is not defined for {key.name} (`{key.type}`)")
    return (
        _operand(cx, first, op, key, plain),
        _operand(cx, second, op, key, plain),
    )


def _operand(
    cx: Context, source: syntax.Expression, op: str, key: Key, plain: Bit | Int
) -> typed.Expression:
    value = expression(cx, source)
    if isinstance(value.type, ListShape) or not (
        is_numeric(value.type) or isinstance(value.type, NewType)
    ):
        raise cx.reject(
            "bad-operand", value.span, f"`{op}` is not defined for {describe(value.type)}"
        )
    if value.type == key.type and not isinstance(key.type, SerializableEnum):
        return value
    return convert(
        cx,
        to_underlying(value),
        plain,
        lambda given: f"cannot match {given} with {key.name} (`{key.type}`)",
        source,
    )
