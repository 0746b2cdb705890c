"""P4 types, resolved and free of type variables once a program is checked (section 7).

Named types compare by name and content; `TypeVariable` stands only while generics are inferred.
"""

from __future__ import annotations

from enum import Enum

from p4xdp.records import dataclass


class Basic(Enum):
    """Types with no parts. `INT` is the arbitrary-precision `int`."""

    BOOL = "bool"
    ERROR = "error"
    STRING = "string"
    INT = "int"
    MATCH_KIND = "match_kind"
    VOID = "void"
    STATE = "state"
    DONT_CARE = "_"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Bit:
    """`bit<width>`; width in bits."""

    width: int

    def __str__(self) -> str:
        return f"bit<{self.width}>"


@dataclass(frozen=True, slots=True)
class Int:
    """`int<width>`: two's complement; width in bits."""

    width: int

    def __str__(self) -> str:
        return f"int<{self.width}>"


@dataclass(frozen=True, slots=True)
class Varbit:
    """`varbit<width>`; width is the maximum in bits."""

    width: int

    def __str__(self) -> str:
        return f"varbit<{self.width}>"


@dataclass(frozen=True, slots=True)
class EnumType:
    """An enum with no underlying type: a value is its member's name."""

    name: str
    members: tuple[str, ...]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class SerializableEnum:
    """An enum with a `bit` or `int` representation; `members` hold (name, value)."""

    name: str
    underlying: Bit | Int
    members: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class NewType:
    """`type target name`."""

    name: str
    target: Type

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class FieldType:
    """`annotations` are the names of the field's annotations, of `@match` with its kind and of
    `@field_list` with a list's number, one for each: `match(ternary)`, `field_list(1)`."""

    name: str
    type: Type
    annotations: tuple[str, ...] = ()

    def in_field_list(self, index: int) -> bool:
        """Whether the field belongs to the list that `@field_list(index)` makes."""
        return f"field_list({index})" in self.annotations


@dataclass(frozen=True, slots=True)
class Struct:
    """`arguments` are the type arguments of a generic one, which `name` spells out."""

    name: str
    fields: tuple[FieldType, ...]
    arguments: tuple[Type, ...] = ()

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Header:
    """As Struct; the fields stand in packet order."""

    name: str
    fields: tuple[FieldType, ...]
    arguments: tuple[Type, ...] = ()

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class HeaderUnion:
    """As Struct; every field is a Header."""

    name: str
    fields: tuple[FieldType, ...]
    arguments: tuple[Type, ...] = ()

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Stack:
    """`element[size]`: a header stack when element is a Header or a HeaderUnion, else an array."""

    element: Type
    size: int

    def __str__(self) -> str:
        return f"{self.element}[{self.size}]"


@dataclass(frozen=True, slots=True)
class Tuple:
    elements: tuple[Type, ...]

    def __str__(self) -> str:
        return f"tuple<{', '.join(map(str, self.elements))}>"


@dataclass(frozen=True, slots=True)
class ListType:
    """`list<element>`: compile-time only."""

    element: Type

    def __str__(self) -> str:
        return f"list<{self.element}>"


@dataclass(frozen=True, slots=True)
class ListShape:
    """The type of a list expression `{ a, b }` before it meets a type; `rest` for `...`."""

    elements: tuple[Type, ...]
    rest: bool = False

    def __str__(self) -> str:
        return f"{{{', '.join(map(str, self.elements))}}}"


@dataclass(frozen=True, slots=True)
class StructShape:
    """The type of `{ name = value }` before it meets a type."""

    fields: tuple[FieldType, ...]
    rest: bool = False

    def __str__(self) -> str:
        return "{" + ", ".join(f"{f.name} = {f.type}" for f in self.fields) + "}"


@dataclass(frozen=True, slots=True)
class ParameterType:
    """`direction` is `""`, `in`, `out` or `inout`."""

    direction: str
    name: str
    type: Type
    optional: bool = False
    has_default: bool = False


@dataclass(frozen=True, slots=True)
class ExternType:
    """An extern object type, with its type arguments."""

    name: str
    arguments: tuple[Type, ...] = ()

    def __str__(self) -> str:
        inner = f"<{', '.join(map(str, self.arguments))}>" if self.arguments else ""
        return self.name + inner


@dataclass(frozen=True, slots=True)
class BlockType:
    """The type of a parser, control or package (`kind`): what its instances can be applied to."""

    kind: str
    name: str
    parameters: tuple[ParameterType, ...]
    arguments: tuple[Type, ...] = ()

    def __str__(self) -> str:
        inner = f"<{', '.join(map(str, self.arguments))}>" if self.arguments else ""
        return f"{self.kind} {self.name}{inner}"


@dataclass(frozen=True, slots=True)
class TableType:
    name: str

    def __str__(self) -> str:
        return f"table {self.name}"


@dataclass(frozen=True, slots=True)
class ApplyResult:
    """What `t.apply()` gives: `hit`, `miss`, `action_run`."""

    table: str

    def __str__(self) -> str:
        return f"the result of {self.table}.apply()"


@dataclass(frozen=True, slots=True)
class ActionRun:
    """The type of `action_run` of a table."""

    table: str

    def __str__(self) -> str:
        return f"action_run of {self.table}"


@dataclass(frozen=True, slots=True)
class CallableType:
    """An action, function, method or constructor (`kind`)."""

    kind: str
    name: str
    parameters: tuple[ParameterType, ...]
    result: Type

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


@dataclass(frozen=True, slots=True)
class SetType:
    """The type of a keyset: `set<element>` (section 8.13)."""

    element: Type

    def __str__(self) -> str:
        return f"set<{self.element}>"


@dataclass(frozen=True, slots=True)
class TypeVariable:
    """A type parameter, or an unknown while inferring; `key` tells equal names apart."""

    name: str
    key: int

    def __str__(self) -> str:
        return self.name


Type = (
    Basic
    | Bit
    | Int
    | Varbit
    | EnumType
    | SerializableEnum
    | NewType
    | Struct
    | Header
    | HeaderUnion
    | Stack
    | Tuple
    | ListType
    | ListShape
    | StructShape
    | ExternType
    | BlockType
    | TableType
    | ApplyResult
    | ActionRun
    | CallableType
    | SetType
    | TypeVariable
)
