"""Properties of types: what is numeric, comparable, serialisable, how wide, what may nest where."""

from __future__ import annotations

from p4xdp.frontend.types import (
    ActionRun,
    ApplyResult,
    Basic,
    Bit,
    BlockType,
    CallableType,
    EnumType,
    ExternType,
    FieldType,
    Header,
    HeaderUnion,
    Int,
    ListShape,
    ListType,
    NewType,
    SerializableEnum,
    SetType,
    Stack,
    Struct,
    StructShape,
    TableType,
    Tuple,
    Type,
    TypeVariable,
    Varbit,
)

WithFields = Struct | Header | HeaderUnion


def article(type: Type) -> str:
    """Return the kind of a type with its article, for messages."""
    match type:
        case Header():
            return "a header"
        case HeaderUnion():
            return "a header union"
        case Struct() | StructShape():
            return "a struct"
        case Stack():
            return "a header stack" if is_header_stack(type) else "an array"
        case Tuple() | ListShape():
            return "a tuple"
        case ListType():
            return "a list"
        case EnumType() | SerializableEnum():
            return "an enum"
        case ExternType():
            return "an extern object"
        case BlockType(kind=kind):
            return f"a {kind}"
        case TypeVariable():
            return "a type parameter"
        case _:
            return f"`{type}`"


def field_of(type: WithFields, name: str) -> FieldType | None:
    for field in type.fields:
        if field.name == name:
            return field
    return None


def is_header_stack(type: Stack) -> bool:
    return isinstance(type.element, Header | HeaderUnion)


def underlying(type: Type) -> Type:
    """Return the representation of a serialisable enum; any other type as it is."""
    return type.underlying if isinstance(type, SerializableEnum) else type


def strip(type: Type) -> Type:
    """Return the type behind `type` declarations and serialisable enums."""
    while isinstance(type, NewType):
        type = type.target
    return underlying(type)


def is_numeric(type: Type) -> bool:
    return type is Basic.INT or isinstance(type, Bit | Int | SerializableEnum)


def is_comparable(type: Type) -> bool:
    """Say whether `==` is defined for two values of the type."""
    match type:
        case Basic():
            return type in (Basic.BOOL, Basic.ERROR, Basic.INT, Basic.MATCH_KIND, Basic.STRING)
        case Bit() | Int() | Varbit() | EnumType() | SerializableEnum():
            return True
        case NewType(target=target):
            return is_comparable(target)
        case Struct() | Header() | HeaderUnion():
            return all(is_comparable(field.type) for field in type.fields)
        case Stack(element=element) | ListType(element=element):
            return is_comparable(element)
        case Tuple(elements=elements):
            return all(map(is_comparable, elements))
        case _:
            return False


def has_default(type: Type) -> bool:
    """Say whether `...` has a meaning for the type."""
    match type:
        case Basic():
            return type in (Basic.BOOL, Basic.ERROR, Basic.INT, Basic.STRING)
        case EnumType():
            return bool(type.members)
        case NewType(target=target):
            return has_default(target)
        case Struct():
            return all(has_default(field.type) for field in type.fields)
        case Stack(element=element):
            return has_default(element)
        case Tuple(elements=elements):
            return all(map(has_default, elements))
        case Bit() | Int() | Varbit() | SerializableEnum() | Header() | HeaderUnion():
            return True
        case _:
            return False


def size_in_bits(type: Type, largest: bool) -> int | None:
    """Return the serialised size, the smallest or the largest one, None where it has none."""
    match type:
        case Bit(width=width) | Int(width=width):
            return width
        case Varbit(width=width):
            return width if largest else 0
        case Basic.BOOL:
            return 1
        case SerializableEnum(underlying=target) | NewType(target=target):
            return size_in_bits(target, largest)
        case Stack(element=element, size=size):
            one = size_in_bits(element, largest)
            return None if one is None else one * size
        case HeaderUnion():
            return _combine(max, [field.type for field in type.fields], largest)
        case Struct() | Header():
            return _combine(sum, [field.type for field in type.fields], largest)
        case Tuple(elements=elements):
            return _combine(sum, elements, largest)
        case _:
            return None


def _combine(how: object, types: list[Type] | tuple[Type, ...], largest: bool) -> int | None:
    sizes = [size_in_bits(type, largest) for type in types]
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        return None
    return max(known, default=0) if how is max else sum(known)


def count_varbits(type: Type) -> int:
    match type:
        case Varbit():
            return 1
        case Struct() | Header():
            return sum(count_varbits(field.type) for field in type.fields)
        case _:
            return 0


def may_be_in_header(type: Type) -> bool:
    """Say whether a header may have a field of the type (section 7.2.8)."""
    match type:
        case Bit() | Int() | Varbit() | SerializableEnum() | TypeVariable() | Basic.BOOL:
            return True
        case NewType(target=target):
            return may_be_in_header(target)
        case Struct():
            return all(_plain(field.type) for field in type.fields)
        case Stack(element=element):
            return not is_header_stack(type) and may_be_in_header(element)
        case _:
            return False


def _plain(type: Type) -> bool:
    return not isinstance(type, Varbit) and may_be_in_header(type)


def may_be_in_struct(type: Type) -> bool:
    """Say whether a struct or tuple may hold the type (section 7.2.8)."""
    match type:
        case Basic():
            return type in (Basic.BOOL, Basic.ERROR)
        case ListType() | ExternType() | BlockType():
            return False
        case _:
            return is_value(type)


def may_be_in_tuple(type: Type) -> bool:
    """Say whether a tuple may hold the type; what is known only at compile time may stand there."""
    return type in (Basic.INT, Basic.STRING, Basic.MATCH_KIND) or may_be_in_struct(type)


def is_value(type: Type) -> bool:
    """Say whether run-time or compile-time data can have the type."""
    match type:
        case Basic():
            return type not in (Basic.VOID, Basic.STATE, Basic.DONT_CARE)
        case TableType() | ApplyResult() | ActionRun() | CallableType() | SetType():
            return False
        case ExternType() | BlockType():
            return False
        case _:
            return True


def is_run_time(type: Type) -> bool:
    """Say whether a variable or a parameter with a direction can have the type."""
    if type in (Basic.INT, Basic.STRING, Basic.MATCH_KIND):
        return False
    if isinstance(type, Tuple):
        return all(map(is_run_time, type.elements))
    return is_value(type) and not isinstance(type, ListType)


def contains_variable(type: Type) -> bool:
    """Say whether a type variable or `_` stands anywhere in the type."""
    match type:
        case TypeVariable() | Basic.DONT_CARE:
            return True
        case Struct() | Header() | HeaderUnion() | ExternType():
            return any(map(contains_variable, type.arguments))
        case Stack(element=element) | ListType(element=element) | SetType(element=element):
            return contains_variable(element)
        case NewType(target=target):
            return contains_variable(target)
        case Tuple(elements=elements) | ListShape(elements=elements):
            return any(map(contains_variable, elements))
        case StructShape(fields=fields):
            return any(contains_variable(field.type) for field in fields)
        case BlockType():
            types = (*type.arguments, *(parameter.type for parameter in type.parameters))
            return any(map(contains_variable, types))
        case _:
            return False
