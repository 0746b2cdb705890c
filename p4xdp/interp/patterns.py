"""Values as the control plane writes them: one unsigned bit pattern for each scalar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from p4xdp.diagnostics import InternalError
from p4xdp.frontend import types as t
from p4xdp.interp import operators
from p4xdp.interp.keysets import NAME_WIDTH
from p4xdp.interp.values import (
    NO_ERROR,
    Array,
    HeaderValue,
    Record,
    Scalar,
    UnionValue,
    Value,
    boolean,
    invalid_header,
    plain,
)


def pattern_widths(name: str, kind: t.Type) -> Iterator[tuple[str, int]]:
    """Yield the scalars of a value of a type: their dotted names and widths in bits. A `bit<0>` is
    none: nobody has anything to say of it."""
    match plain(kind):
        case t.Bit(width=0):
            pass
        case t.Struct(fields=fields):
            for field in fields:
                yield from pattern_widths(f"{name}.{field.name}", field.type)
        case t.Tuple(elements=elements):
            for i, element in enumerate(elements):
                yield from pattern_widths(f"{name}.{i}", element)
        case t.Stack(element=element, size=size):
            for i in range(size):
                yield from pattern_widths(f"{name}[{i}]", element)
        case t.Header(fields=fields) as header:
            yield f"{name}.{_validity_name(header)}", 1
            for field in fields:
                yield from pattern_widths(f"{name}.{field.name}", field.type)
        case t.HeaderUnion(fields=fields):
            for field in fields:
                yield from pattern_widths(f"{name}.{field.name}", field.type)
        case t.EnumType() | t.Basic.ERROR:
            yield name, NAME_WIDTH
        case _:
            yield name, operators.width_of(kind)


def _validity_name(header: t.Header) -> str:
    """Return what a header's validity is called: `valid`, with `_` behind it until no field has
    that name."""
    name = "valid"
    while any(field.name == name for field in header.fields):
        name += "_"
    return name


def from_patterns(kind: t.Type, patterns: Iterator[int]) -> Value:
    """Return a value of a type from the patterns of its scalars, in order."""
    match plain(kind):
        case t.Struct(fields=fields):
            return Record({f.name: from_patterns(f.type, patterns) for f in fields})
        case t.Tuple(elements=elements):
            return Record({str(i): from_patterns(e, patterns) for i, e in enumerate(elements)})
        case t.Stack(element=element, size=size):
            return Array([from_patterns(element, patterns) for _ in range(size)])
        case t.Header() as header:
            return _header(header, patterns)
        case t.HeaderUnion(fields=fields):
            return _union(fields, patterns)
        case t.Basic.BOOL:
            return Scalar(bool(next(patterns)))
        case t.EnumType(members=members):
            position = next(patterns)
            return Scalar(members[position] if position < len(members) else members[0])
        case t.Basic.ERROR:
            next(patterns)
            return Scalar(NO_ERROR)
        case t.Bit(width=0):
            return Scalar(0)
        case t.Bit() | t.Int():
            return Scalar(operators.wrap(next(patterns), kind))
        case other:
            raise InternalError("interp", f"{other} as action data")


def to_patterns(value: Value, kind: t.Type, errors: Sequence[str]) -> Iterator[Scalar]:
    """Yield the patterns of a value's scalars, in the order of `pattern_widths`, undefined ones as
    such; `errors` are the names of the errors by their codes."""
    match value, plain(kind):
        case Record(fields=fields), (t.Struct(fields=declared)):
            for field in declared:
                yield from to_patterns(fields[field.name], field.type, errors)
        case Record(fields=fields), t.Tuple(elements=kinds):
            for i, element in enumerate(kinds):
                yield from to_patterns(fields[str(i)], element, errors)
        case Array(elements=elements), t.Stack(element=inner):
            for member in elements:
                yield from to_patterns(member, inner, errors)
        case HeaderValue(valid=valid, fields=fields), t.Header(fields=declared):
            yield Scalar(int(valid.value), valid.undefined)
            for field in declared:
                yield from to_patterns(fields[field.name], field.type, errors)
        case UnionValue(headers=headers), t.HeaderUnion(fields=declared):
            for field in declared:
                yield from to_patterns(headers[field.name], field.type, errors)
        case Scalar(), t.Bit(width=0):
            pass
        case Scalar() as one, t.EnumType(members=members):
            yield Scalar(members.index(str(one.value)), one.undefined)
        case Scalar() as one, t.Basic.ERROR:
            yield Scalar(errors.index(str(one.value)), one.undefined)
        case Scalar() as one, _:
            yield Scalar(operators.pattern(int(one.value), operators.width_of(kind)), one.undefined)
        case _:
            raise InternalError("interp", f"{kind} as patterns")


def _header(header: t.Header, patterns: Iterator[int]) -> HeaderValue:
    """The fields of a header that is given as invalid are undefined all the same."""
    valid = bool(next(patterns))
    fields = {f.name: from_patterns(f.type, patterns) for f in header.fields}
    return HeaderValue(header, boolean(True), fields) if valid else invalid_header(header)


def _union(members: Sequence[t.FieldType], patterns: Iterator[int]) -> UnionValue:
    """Of the headers given as valid, the first one is."""
    headers: dict[str, HeaderValue] = {}
    for member in members:
        header = plain(member.type)
        if not isinstance(header, t.Header):
            raise InternalError("interp", f"{header} in a header union")
        value = _header(header, patterns)
        taken = any(other.valid.value for other in headers.values())
        headers[member.name] = invalid_header(header) if taken else value
    return UnionValue(headers)
