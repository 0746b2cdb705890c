"""Run-time values: what variables, parameters and the fields of headers hold.

Scalars are immutable; compound values change in place and are copied where P4 copies (section
12.1). A value that the program never set is 0 (or the first member of an enum, or `NoError`) and
marked as undefined; the mark follows it through copies and operators (section 8.27).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from p4xdp.diagnostics import InternalError
from p4xdp.frontend import types as t
from p4xdp.records import dataclass, dataclass as record, field as dataclass_field

NO_ERROR = "NoError"


@record(frozen=True, slots=True)
class Scalar:
    """A number (of `bit`, `int` and serialisable enums), a bool, or a name or string.

    Numbers are as P4 sees them: those of an `int<W>` may be negative.
    """

    value: int | bool | str
    undefined: bool = False


@record(frozen=True, slots=True)
class Bits:
    """A varbit: `value` of `size` bits, the dynamic width."""

    size: int
    value: int
    undefined: bool = False


@dataclass(slots=True)
class Record:
    """A struct; of a tuple, the fields are named `0`, `1` and so on."""

    fields: dict[str, Value]


@dataclass(slots=True)
class HeaderValue:
    """The fields of an invalid header are always undefined."""

    type: t.Header
    valid: Scalar
    fields: dict[str, Value]


@dataclass(slots=True)
class UnionValue:
    """At most one of the headers is valid."""

    headers: dict[str, HeaderValue]


@dataclass(slots=True)
class Array:
    """A header stack, an array or a list; `next_index` counts in header stacks only."""

    elements: list[Value]
    next_index: int = 0


class Thing:
    """An instance: a parser, a control, an extern object. It is passed by reference."""


Value = Scalar | Bits | Record | HeaderValue | UnionValue | Array | Thing

TRUE, FALSE = Scalar(True), Scalar(False)
NOTHING = Record({})
"""The value of a call that gives none."""


def boolean(value: bool, undefined: bool = False) -> Scalar:
    return Scalar(value, undefined)


def scalar(value: Value) -> Scalar:
    """Return a value that must be a scalar by its type."""
    if not isinstance(value, Scalar):
        raise InternalError("interp", f"{value} is no scalar")
    return value


def number(value: Value) -> int:
    """Return the number of a scalar that must be one by its type."""
    found = scalar(value).value
    if not isinstance(found, int):
        raise InternalError("interp", f"{found!r} is no number")
    return found


def plain(kind: t.Type) -> t.Type:
    """Return the type that holds the values of `kind`, behind `type` and `enum bit<W>`."""
    while isinstance(kind, t.NewType | t.SerializableEnum):
        kind = kind.target if isinstance(kind, t.NewType) else kind.underlying
    return kind


# New values


def uninitialised(kind: t.Type) -> Value:
    """Return what a variable or `out` parameter starts as (sections 6.8 and 8.27)."""
    match plain(kind):
        case t.Bit(width=0):
            return Scalar(0)
        case t.Varbit(width=width):
            return Bits(0, 0, undefined=width > 0)
        case _:
            return _filled(kind, undefined=True)


def default(kind: t.Type) -> Value:
    """Return the default value of a type (section 7.3)."""
    if isinstance(plain(kind), t.Varbit):
        return Bits(0, 0)
    return _filled(kind, undefined=False)


def _filled(kind: t.Type, undefined: bool) -> Value:
    inner = uninitialised if undefined else default
    match plain(kind):
        case t.Bit() | t.Int() | t.Basic.INT:
            return Scalar(0, undefined)
        case t.Basic.BOOL:
            return Scalar(False, undefined)
        case t.Basic.ERROR:
            return Scalar(NO_ERROR, undefined)
        case t.Basic.STRING:
            return Scalar("", undefined)
        case t.EnumType(members=members):
            return Scalar(members[0] if members else "", undefined)
        case t.Struct(fields=fields):
            return Record({field.name: inner(field.type) for field in fields})
        case t.Tuple(elements=elements):
            return Record({str(i): inner(element) for i, element in enumerate(elements)})
        case t.Header() as header:
            return invalid_header(header)
        case t.HeaderUnion() as union:
            return invalid_union(union)
        case t.Stack(element=element, size=size):
            return Array([inner(element) for _ in range(size)])
        case t.ListType():
            return Array([])
        case t.Basic.VOID:
            return NOTHING
        case other:
            raise InternalError("interp", f"there are no values of type {other}")


def invalid_header(kind: t.Header, valid: Scalar = FALSE) -> HeaderValue:
    """Return a header whose fields are undefined."""
    return HeaderValue(
        kind, valid, {field.name: uninitialised(field.type) for field in kind.fields}
    )


def invalid_union(kind: t.HeaderUnion) -> UnionValue:
    headers = {}
    for field in kind.fields:
        if not isinstance(field.type, t.Header):
            raise InternalError("interp", f"{field.type} in a header union")
        headers[field.name] = invalid_header(field.type)
    return UnionValue(headers)


def nowhere(kind: t.Type) -> Value:
    """Return what a stack holds outside of its bounds: validity is undefined, too."""
    match plain(kind):
        case t.Header() as header:
            return invalid_header(header, Scalar(False, undefined=True))
        case _:
            return uninitialised(kind)


# Parts


def parts(value: Value) -> Iterable[Value]:
    """Return the values that a compound value is made of, in order; none for a scalar."""
    match value:
        case Record(fields=fields) | HeaderValue(fields=fields):
            return fields.values()
        case UnionValue(headers=headers):
            return headers.values()
        case Array(elements=elements):
            return elements
        case _:
            return ()


def scalars(value: Value) -> Iterator[Scalar]:
    """Return the scalars of a value, those of its parts included."""
    if isinstance(value, Scalar):
        yield value
    for part in parts(value):
        yield from scalars(part)


def is_undefined(value: Value) -> bool:
    """Whether any part of a value is undefined; fields of invalid headers do not count."""
    match value:
        case Scalar(undefined=undefined) | Bits(undefined=undefined):
            return undefined
        case HeaderValue(valid=valid) if valid.undefined or not valid.value:
            return valid.undefined
        case _:
            return any(is_undefined(part) for part in parts(value))


def copy(value: Value) -> Value:
    """Return a value that shares nothing that can change, except instances."""
    match value:
        case Record(fields=fields):
            return Record({name: copy(part) for name, part in fields.items()})
        case HeaderValue():
            return copy_header(value)
        case UnionValue(headers=headers):
            return UnionValue({name: copy_header(part) for name, part in headers.items()})
        case Array(elements=elements, next_index=next_index):
            return Array([copy(element) for element in elements], next_index)
        case _:
            return value


def undefined_copy(value: Value) -> Value:
    """Return a copy all scalars of which are marked as undefined."""
    match value:
        case Scalar(value=known):
            return Scalar(known, undefined=True)
        case Bits(size=size, value=bits):
            return Bits(size, bits, undefined=True)
        case Record(fields=fields):
            return Record({name: undefined_copy(part) for name, part in fields.items()})
        case HeaderValue():
            return _undefined_header(value)
        case UnionValue(headers=headers):
            return UnionValue({name: _undefined_header(one) for name, one in headers.items()})
        case Array(elements=elements, next_index=next_index):
            return Array([undefined_copy(element) for element in elements], next_index)
        case Thing():
            return value


def _undefined_header(value: HeaderValue) -> HeaderValue:
    fields = {name: undefined_copy(part) for name, part in value.fields.items()}
    return HeaderValue(value.type, Scalar(value.valid.value, undefined=True), fields)


def copy_header(value: HeaderValue) -> HeaderValue:
    fields = {name: copy(part) for name, part in value.fields.items()}
    return HeaderValue(value.type, value.valid, fields)


# Equality (sections 8.5 to 8.21)


def equal(left: Value, right: Value) -> Scalar:
    """Compare two values of one type; undefined where an undefined part may decide."""
    match left, right:
        case Scalar(), Scalar():
            return Scalar(left.value == right.value, left.undefined or right.undefined)
        case Bits(), Bits():
            same = (left.size, left.value) == (right.size, right.value)
            return Scalar(same, left.undefined or right.undefined)
        case HeaderValue(), HeaderValue():
            return _equal_headers(left, right)
        case Thing(), Thing():
            return Scalar(left is right)
        case _:
            return _all_equal(tuple(parts(left)), tuple(parts(right)))


def _equal_headers(left: HeaderValue, right: HeaderValue) -> Scalar:
    """Two invalid headers are equal, whatever their fields (section 8.18)."""
    validity = equal(left.valid, right.valid)
    if validity.undefined or not validity.value or not left.valid.value:
        return validity
    return _all_equal(tuple(parts(left)), tuple(parts(right)))


def _all_equal(left: Sequence[Value], right: Sequence[Value]) -> Scalar:
    answers = [equal(a, b) for a, b in zip(left, right, strict=True)]
    if any(not a.value and not a.undefined for a in answers):
        return FALSE
    return Scalar(all(a.value for a in answers), any(a.undefined for a in answers))


# Header unions (section 8.21)


def set_header(union: UnionValue, name: str, header: HeaderValue) -> None:
    """Assign a header of a union: all others become invalid, and so does a union whose header
    is assigned an invalid one."""
    for other, value in union.headers.items():
        union.headers[other] = invalid_header(value.type)
    union.headers[name] = header


# Header stacks (section 8.20)


def push_front(stack: Array, kind: t.Stack, count: int) -> None:
    size = len(stack.elements)
    kept = stack.elements[: max(0, size - count)]
    stack.elements[:] = [default(kind.element) for _ in range(size - len(kept))] + kept
    stack.next_index = min(size, stack.next_index + count)


def pop_front(stack: Array, kind: t.Stack, count: int) -> None:
    size = len(stack.elements)
    kept = stack.elements[count:]
    stack.elements[:] = kept + [default(kind.element) for _ in range(size - len(kept))]
    stack.next_index = max(0, stack.next_index - count)


@dataclass(slots=True)
class Frame:
    """The variables, parameters and constants of one invocation, by declaration.

    `outer` is where the names around it are: an action's control, a method's object.
    """

    cells: dict[object, Value] = dataclass_field(default_factory=dict)
    outer: Frame | None = None

    def cells_of(self, declaration: object) -> dict[object, Value] | None:
        """Return the cells that hold a declaration, None where no frame does."""
        frame: Frame | None = self
        while frame is not None:
            if declaration in frame.cells:
                return frame.cells
            frame = frame.outer
        return None
