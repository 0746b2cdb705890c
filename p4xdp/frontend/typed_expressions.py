"""The expressions of the typed program, and what can be called; all of it is read as `typed.X`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal as Choice

from p4xdp.diagnostics import Span, span_field
from p4xdp.frontend.types import Type
from p4xdp.records import dataclass

if TYPE_CHECKING:
    from p4xdp.frontend.typed import (
        Action,
        Constant,
        Constructible,
        Control,
        Extern,
        ExternFunction,
        Function,
        Instance,
        Parameter,
        Parser,
        Table,
        Variable,
    )


# Expressions


@dataclass(frozen=True, slots=True)
class Literal:
    """A number (Bit, Int, INT, SerializableEnum), bool, or string, by `type`.

    The type may also be a NewType of one of these. The value of a sized number is in the range of
    its type. What is known at compile time without constructor parameters is a Literal already.
    """

    value: int | bool | str
    type: Type
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A member of an EnumType, an error (`type` ERROR) or a match kind."""

    name: str
    type: Type
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Ref:
    declaration: Variable | Parameter | Constant | Instance
    type: Type
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class This:
    type: Type
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Field:
    """A member of a struct, header or header union."""

    base: Expression
    name: str
    type: Type
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class TupleIndex:
    base: Expression
    index: int
    type: Type
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class StackIndex:
    base: Expression
    index: Expression
    type: Type
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class StackProperty:
    """`size` is a Literal already."""

    base: Expression
    property: Choice["next", "last", "lastIndex"]
    type: Type
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Slice:
    """`base[high:low]`, constant bounds in bits."""

    base: Expression
    high: int
    low: int
    type: Type
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class DynamicSlice:
    """`base[low+:width]` with a run-time `low`."""

    base: Expression
    low: Expression
    width: int
    type: Type
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Unary:
    op: Choice["!", "~", "-"]
    operand: Expression
    type: Type
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Binary:
    """Operands of the arithmetic and comparing operators have one type; shifts and `++` two."""

    op: str
    left: Expression
    right: Expression
    type: Type
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Conditional:
    condition: Expression
    then: Expression
    otherwise: Expression
    type: Type
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Cast:
    operand: Expression
    type: Type
    implicit: bool = False
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class StructLiteral:
    """Every field of the Struct or Header `type`, evaluated in the order that stands here."""

    fields: tuple[tuple[str, Expression], ...]
    type: Type
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class TupleLiteral:
    """Elements of a Tuple, ListType or Stack `type`."""

    elements: tuple[Expression, ...]
    type: Type
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class InvalidHeader:
    """`{#}` of a Header or HeaderUnion."""

    type: Type
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class DefaultValue:
    """`...`: the default value of `type` (section 7.3)."""

    type: Type
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Call:
    """`arguments` follow the callee's parameters; None for `_` and for a missing optional.

    `order` says where arguments given by name stand, from left to right: the positions of their
    parameters. It is empty for arguments without names.
    """

    callee: Callee
    arguments: tuple[Expression | None, ...]
    type: Type
    span: Span = span_field()
    order: tuple[int, ...] = ()

    def passed(self, parameters: Sequence[Parameter]) -> list[tuple[Parameter, Expression | None]]:
        """Return the callee's parameters with their arguments, as the arguments stand in the call;
        those that are left out come last. An implementation of an abstract method may have fewer
        parameters than the call has arguments."""
        pairs = list(zip(parameters, self.arguments, strict=False))
        rest = [at for at in range(len(pairs)) if at not in self.order]
        return [pairs[at] for at in (*self.order, *rest) if at < len(pairs)]


@dataclass(frozen=True, slots=True)
class TableResult:
    """`t.apply().hit` or `.miss`; `apply` has a TableApply callee."""

    apply: Call
    property: Choice["hit", "miss"]
    type: Type
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Construct:
    """A constructor call as an argument or initialiser: `A()`, `hash_table(64)`."""

    target: Constructible
    arguments: tuple[Expression | None, ...]
    type: Type
    span: Span = span_field()


Expression = (
    Literal
    | EnumMember
    | Ref
    | This
    | Field
    | TupleIndex
    | StackIndex
    | StackProperty
    | Slice
    | DynamicSlice
    | Unary
    | Binary
    | Conditional
    | Cast
    | StructLiteral
    | TupleLiteral
    | InvalidHeader
    | DefaultValue
    | Call
    | TableResult
    | Construct
)

# What can be called


@dataclass(frozen=True, slots=True)
class FunctionCallee:
    function: Function


@dataclass(frozen=True, slots=True)
class ActionCallee:
    action: Action


@dataclass(frozen=True, slots=True)
class ExternFunctionCallee:
    function: ExternFunction
    type_arguments: tuple[Type, ...] = ()


@dataclass(frozen=True, slots=True)
class MethodCallee:
    """A method of an extern instance (also packet_in and packet_out parameters).

    `instance` is a Ref (or This); `method` tells overloads apart.
    """

    instance: Expression
    extern: Extern
    method: ExternFunction
    type_arguments: tuple[Type, ...] = ()


@dataclass(frozen=True, slots=True)
class ApplyCallee:
    """`instance.apply(...)`: a Ref to an Instance or constructor Parameter, or a Construct for
    the direct form `C.apply(...)`. Its parameters are those of `block`; None when only the
    BlockType of a constructor parameter is known."""

    instance: Expression
    block: Parser | Control | None


@dataclass(frozen=True, slots=True)
class TableApply:
    table: Table


@dataclass(frozen=True, slots=True)
class BuiltinCallee:
    """isValid, setValid, setInvalid, push_front, pop_front on `base`.

    minSizeInBits and its kin are Literals already where they are constants.
    """

    base: Expression
    name: str


Callee = (
    FunctionCallee
    | ActionCallee
    | ExternFunctionCallee
    | MethodCallee
    | ApplyCallee
    | TableApply
    | BuiltinCallee
)
