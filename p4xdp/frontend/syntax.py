"""The syntax tree: P4_16 as it was written, names not yet resolved (grammar: P4 spec, appendix).

Nodes are frozen, children are tuples, and the span comes last and does not count in comparisons.
"""

from __future__ import annotations

from enum import Enum

from p4xdp.diagnostics import Span, span_field
from p4xdp.frontend.syntax_expressions import (
    Argument as Argument,
    BaseType as BaseType,
    Binary as Binary,
    BitType as BitType,
    BoolLiteral as BoolLiteral,
    Call as Call,
    Cast as Cast,
    Conditional as Conditional,
    Default as Default,
    DontCareType as DontCareType,
    Expression as Expression,
    Index as Index,
    IntLiteral as IntLiteral,
    InvalidHeader as InvalidHeader,
    ListExpr as ListExpr,
    Member as Member,
    NamedType as NamedType,
    NameExpr as NameExpr,
    Slice as Slice,
    SpecializedType as SpecializedType,
    StackType as StackType,
    StringLiteral as StringLiteral,
    StructExpr as StructExpr,
    This as This,
    TupleType as TupleType,
    Type as Type,
    TypeExpr as TypeExpr,
    Unary as Unary,
)
from p4xdp.records import dataclass


class Direction(Enum):
    NONE = ""
    IN = "in"
    OUT = "out"
    INOUT = "inout"


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier where it stands; `absolute` for `.name` (top-level scope)."""

    text: str
    absolute: bool = False
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Annotation:
    """`@name`, `@name(tokens)` or `@name[expressions]` (section 20).

    `body` holds the raw tokens of the unstructured form as text, None when there is no body.
    `values` holds the structured form: (key, expression) with key None in an expression list.
    """

    name: str
    body: tuple[str, ...] | None = None
    values: tuple[tuple[str | None, Expression], ...] | None = None
    span: Span = span_field()


# Keysets (section 12.13, select labels and table entries)


@dataclass(frozen=True, slots=True)
class DontCareKey:
    """`_` or `default`."""

    default: bool = False
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class ValueKey:
    value: Expression
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class MaskKey:
    value: Expression
    mask: Expression
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class RangeKey:
    low: Expression
    high: Expression
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class TupleKey:
    elements: tuple[Keyset, ...]
    span: Span = span_field()


Keyset = DontCareKey | ValueKey | MaskKey | RangeKey | TupleKey

# Statements (section 11)


@dataclass(frozen=True, slots=True)
class Assignment:
    """`target op value` with `op` as written: `=`, `+=`, `|+|=`, ..."""

    target: Expression
    op: str
    value: Expression
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class CallStatement:
    call: Call
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Empty:
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Block:
    statements: tuple[Statement, ...]
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class If:
    condition: Expression
    then: Statement
    otherwise: Statement | None
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class SwitchCase:
    """`label` None for `default`; `body` None when it falls through to the next one."""

    label: Expression | None
    body: Block | None
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Switch:
    selector: Expression
    cases: tuple[SwitchCase, ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Exit:
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Return:
    value: Expression | None
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class For:
    init: tuple[Statement, ...]
    condition: Expression
    update: tuple[Statement, ...]
    body: Statement
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class ForIn:
    """`for (type name in collection)`; a range collection has `high`; `type` None without one."""

    type: Type | None
    name: Name
    collection: Expression
    high: Expression | None
    body: Statement
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Break:
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Continue:
    span: Span = span_field()


# Declarations (sections 7, 10, 12 to 16)


@dataclass(frozen=True, slots=True)
class Parameter:
    direction: Direction
    type: Type
    name: Name
    default: Expression | None = None
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Constant:
    type: Type
    name: Name
    value: Expression
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Variable:
    type: Type
    name: Name
    value: Expression | None
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Instantiation:
    """`Type(arguments) name = { initializer };`."""

    type: Type
    arguments: tuple[Argument, ...]
    name: Name
    initializer: tuple[Declaration, ...] | None = None
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Field:
    type: Type
    name: Name
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class FieldsDeclaration:
    """`struct`, `header` or `header_union` (`kind`)."""

    kind: str
    name: Name
    type_parameters: tuple[Name, ...]
    fields: tuple[Field, ...]
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class EnumDeclaration:
    """`members` hold (name, value); values stand in serialisable enums, which have a `type`."""

    type: Type | None
    name: Name
    members: tuple[tuple[Name, Expression | None], ...]
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class ErrorDeclaration:
    names: tuple[Name, ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class MatchKindDeclaration:
    names: tuple[Name, ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class TypeAlias:
    """`typedef target name` or, with `new`, `type target name`."""

    new: bool
    target: Type | Declaration
    name: Name
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Prototype:
    """The head of a function, extern method or constructor; `result` None for a constructor."""

    result: Type | None
    name: Name
    type_parameters: tuple[Name, ...]
    parameters: tuple[Parameter, ...]
    abstract: bool = False
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class ExternFunction:
    prototype: Prototype
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class ExternObject:
    name: Name
    type_parameters: tuple[Name, ...]
    methods: tuple[Prototype, ...]
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Function:
    prototype: Prototype
    body: Block
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Action:
    name: Name
    parameters: tuple[Parameter, ...]
    body: Block
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class ArchitectureType:
    """`parser`, `control` or `package` (`kind`) with no body."""

    kind: str
    name: Name
    type_parameters: tuple[Name, ...]
    parameters: tuple[Parameter, ...]
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class SelectCase:
    keyset: Keyset
    state: Name
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Select:
    keys: tuple[Expression, ...]
    cases: tuple[SelectCase, ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class State:
    """`transition` None when there is no transition statement (rejects)."""

    name: Name
    statements: tuple[Statement, ...]
    transition: Name | Select | None
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class ValueSet:
    type: Type
    size: Expression
    name: Name
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Parser:
    name: Name
    type_parameters: tuple[Name, ...]
    parameters: tuple[Parameter, ...]
    constructor_parameters: tuple[Parameter, ...]
    locals: tuple[Declaration, ...]
    states: tuple[State, ...]
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class KeyElement:
    expression: Expression
    match_kind: Name
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class ActionRef:
    """`name` or `name(arguments)` in `actions` and as a default or entry action."""

    name: Name
    arguments: tuple[Argument, ...] | None = None
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Entry:
    """`priority` from `priority = e :`; `const` on the entry itself."""

    keyset: Keyset
    action: ActionRef
    priority: Expression | None = None
    const: bool = False
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class KeyProperty:
    elements: tuple[KeyElement, ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class ActionsProperty:
    actions: tuple[ActionRef, ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class EntriesProperty:
    const: bool
    entries: tuple[Entry, ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class OtherProperty:
    """Any `name = value;`, `default_action` too (its value a NameExpr or Call)."""

    const: bool
    name: Name
    value: Expression
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


TableProperty = KeyProperty | ActionsProperty | EntriesProperty | OtherProperty


@dataclass(frozen=True, slots=True)
class Table:
    name: Name
    properties: tuple[TableProperty, ...]
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Control:
    name: Name
    type_parameters: tuple[Name, ...]
    parameters: tuple[Parameter, ...]
    constructor_parameters: tuple[Parameter, ...]
    locals: tuple[Declaration, ...]
    apply: Block
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


Declaration = (
    Constant
    | Variable
    | Instantiation
    | FieldsDeclaration
    | EnumDeclaration
    | ErrorDeclaration
    | MatchKindDeclaration
    | TypeAlias
    | ExternFunction
    | ExternObject
    | Function
    | Action
    | ArchitectureType
    | ValueSet
    | Parser
    | Table
    | Control
)

Statement = (
    Assignment
    | CallStatement
    | Empty
    | Block
    | If
    | Switch
    | Exit
    | Return
    | For
    | ForIn
    | Break
    | Continue
    | Constant
    | Variable
    | Instantiation
)


@dataclass(frozen=True, slots=True)
class P4Program:
    declarations: tuple[Declaration, ...]
