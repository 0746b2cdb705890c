"""Values as people read them: `0x0800`, `-3`, `true`, `XDP_PASS`, `{a = 1}`, `invalid`."""

from __future__ import annotations

from p4xdp.frontend import types as t
from p4xdp.interp.values import (
    Array,
    Bits,
    HeaderValue,
    Record,
    Scalar,
    Thing,
    UnionValue,
    Value,
    plain,
)

DECIMAL_WIDTH = 8
"""Numbers of up to this many bits are shown in decimal, wider ones in hexadecimal."""


def value(found: Value, kind: t.Type) -> str:
    """Return a value in one line; a question mark marks what is undefined."""
    match found:
        case Scalar(value=inner, undefined=undefined):
            return _scalar(inner, kind) + ("?" if undefined else "")
        case Bits(size=size, value=bits):
            return f"0x{bits:0{(size + 3) // 4}x} ({size} bits)" if size else "(0 bits)"
        case HeaderValue(valid=valid, type=header, fields=fields):
            return _fields(fields, header.fields) if valid.value else "invalid"
        case UnionValue(headers=headers):
            valid_ones = [(n, h) for n, h in headers.items() if h.valid.value]
            return f"{{{valid_ones[0][0]}}}" if valid_ones else "invalid"
        case Record(fields=fields):
            return _record(fields, kind)
        case Array(elements=elements):
            return _array(elements, kind)
        case Thing():
            return "an instance"


def _scalar(inner: int | bool | str, kind: t.Type) -> str:
    if isinstance(inner, bool):
        return "true" if inner else "false"
    if isinstance(inner, str):
        return inner
    match plain(kind):
        case t.Bit(width=width) if width > DECIMAL_WIDTH:
            return f"0x{inner:0{(width + 3) // 4}x}"
        case _:
            return str(inner)


def _fields(fields: dict[str, Value], declared: tuple[t.FieldType, ...]) -> str:
    return "{" + ", ".join(f"{f.name} = {value(fields[f.name], f.type)}" for f in declared) + "}"


def _record(fields: dict[str, Value], kind: t.Type) -> str:
    match plain(kind):
        case t.Struct(fields=declared):
            return _fields(fields, declared)
        case t.Tuple(elements=kinds):
            pairs = zip(fields.values(), kinds, strict=True)
            return "{" + ", ".join(value(part, inner) for part, inner in pairs) + "}"
        case _:
            return ""


def _array(elements: list[Value], kind: t.Type) -> str:
    match plain(kind):
        case t.Stack(element=inner) | t.ListType(element=inner):
            return "[" + ", ".join(value(element, inner) for element in elements) + "]"
        case _:
            return ""
