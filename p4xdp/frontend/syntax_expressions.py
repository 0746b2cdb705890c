"""Types and expressions of the syntax tree; all of it is read as `syntax.X`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from p4xdp.diagnostics import Span, span_field
from p4xdp.records import dataclass, field

if TYPE_CHECKING:
    from p4xdp.frontend.syntax import Name


# Types (section 7)


@dataclass(frozen=True, slots=True)
class BaseType:
    """`bool`, `error`, `string`, `int`, `match_kind`, `void`."""

    name: str
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class BitType:
    """`bit<W>`, `int<W>` or `varbit<W>` (`kind`); a bare `bit` has width 1."""

    kind: str
    width: Expression
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class NamedType:
    name: Name
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class SpecializedType:
    """`base<arguments>`, also for `list<T>` (base `list`)."""

    base: NamedType
    arguments: tuple[Type, ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class StackType:
    """`element[size]`."""

    element: Type
    size: Expression
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class TupleType:
    elements: tuple[Type, ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class DontCareType:
    """`_` as a type argument."""

    span: Span = span_field()


Type = BaseType | BitType | NamedType | SpecializedType | StackType | TupleType | DontCareType


# Expressions (section 8)


@dataclass(frozen=True, slots=True)
class IntLiteral:
    """A number; `width` None when unsized; `text` as written."""

    value: int
    width: int | None = None
    signed: bool = False
    text: str = field(default="", compare=False)
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class BoolLiteral:
    value: bool
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class StringLiteral:
    value: str
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class NameExpr:
    name: Name
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class TypeExpr:
    """A type where an expression may stand: `Type.member`, `Type.apply(...)`, constructor calls."""

    type: Type
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class This:
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Member:
    """`base.name`; also `error.X` (base TypeExpr of `error`)."""

    base: Expression
    name: Name
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Index:
    base: Expression
    index: Expression
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Slice:
    """`base[high:low]`; with `plus` the form `base[low+:width]`, where `high` holds the low bit
    and `low` the width."""

    base: Expression
    high: Expression
    low: Expression
    plus: bool = False
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Unary:
    """`op` is one of `!`, `~`, `-`, `+`."""

    op: str
    operand: Expression
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Binary:
    """`op` as written, one of `* / % + - |+| |-| << >> <= >= < > == != & ^ | ++ && ||`."""

    op: str
    left: Expression
    right: Expression
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Conditional:
    condition: Expression
    then: Expression
    otherwise: Expression
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Cast:
    type: Type
    operand: Expression
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Argument:
    """`value` is None for `_`; `name` for named arguments."""

    name: Name | None
    value: Expression | None
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Call:
    """A call or a constructor call (callee TypeExpr)."""

    callee: Expression
    type_arguments: tuple[Type, ...]
    arguments: tuple[Argument, ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class ListExpr:
    """`{ a, b }`; `rest` when it ends in `...`."""

    elements: tuple[Expression, ...]
    rest: bool = False
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class StructExpr:
    """`{ name = value, ... }`; `rest` when it ends in `...`."""

    fields: tuple[tuple[Name, Expression], ...]
    rest: bool = False
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class InvalidHeader:
    """`{#}`."""

    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Default:
    """`...` alone."""

    span: Span = span_field()


Expression = (
    IntLiteral
    | BoolLiteral
    | StringLiteral
    | NameExpr
    | TypeExpr
    | This
    | Member
    | Index
    | Slice
    | Unary
    | Binary
    | Conditional
    | Cast
    | Call
    | ListExpr
    | StructExpr
    | InvalidHeader
    | Default
)
