"""The typed program: what the checker gives and what elaboration and the interpreter read.

Every name is resolved to its declaration (compared by identity), every expression carries its
type, implicit casts are explicit `Cast` nodes, arguments stand in the order of the parameters,
and no type variable is left: a generic declaration appears once for each set of type arguments.
"""

from __future__ import annotations

from typing import Literal as Choice

from p4xdp.diagnostics import Span, span_field
from p4xdp.frontend.typed_expressions import (
    ActionCallee as ActionCallee,
    ApplyCallee as ApplyCallee,
    Binary as Binary,
    BuiltinCallee as BuiltinCallee,
    Call as Call,
    Callee as Callee,
    Cast as Cast,
    Conditional as Conditional,
    Construct as Construct,
    DefaultValue as DefaultValue,
    DynamicSlice as DynamicSlice,
    EnumMember as EnumMember,
    Expression as Expression,
    ExternFunctionCallee as ExternFunctionCallee,
    Field as Field,
    FunctionCallee as FunctionCallee,
    InvalidHeader as InvalidHeader,
    Literal as Literal,
    MethodCallee as MethodCallee,
    Ref as Ref,
    Slice as Slice,
    StackIndex as StackIndex,
    StackProperty as StackProperty,
    StructLiteral as StructLiteral,
    TableApply as TableApply,
    TableResult as TableResult,
    This as This,
    TupleIndex as TupleIndex,
    TupleLiteral as TupleLiteral,
    Unary as Unary,
)
from p4xdp.frontend.types import Header, Type, TypeVariable
from p4xdp.records import dataclass


@dataclass(frozen=True, slots=True)
class Annotation:
    """`text` is the string or number of a one-value body, None otherwise; `body` the raw tokens."""

    name: str
    text: str | None = None
    body: tuple[str, ...] = ()
    span: Span = span_field()


# Statements


@dataclass(frozen=True, slots=True)
class Assign:
    """`op` is None for `=`; `x += e` has `+`, its l-value evaluated once."""

    target: Expression
    op: str | None
    value: Expression
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Declare:
    """A local variable, constant or instance comes into being here."""

    declaration: Variable | Constant | Instance
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Evaluate:
    """A call for its effect."""

    call: Call | TableResult
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
class ActionCase:
    """`labels` are the actions that run `body`, None for `default`; fall-through is merged."""

    labels: tuple[Action | None, ...]
    body: Block | None
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class ActionSwitch:
    """`switch (t.apply().action_run)`."""

    apply: Call
    cases: tuple[ActionCase, ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class ValueCase:
    """`labels` are constants, None for `default`; fall-through is merged."""

    labels: tuple[Expression | None, ...]
    body: Block | None
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class ValueSwitch:
    selector: Expression
    cases: tuple[ValueCase, ...]
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
    """Over a stack or list, or, with `high`, the range `collection .. high`."""

    variable: Variable
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


Statement = (
    Assign
    | Declare
    | Evaluate
    | Block
    | If
    | ActionSwitch
    | ValueSwitch
    | Exit
    | Return
    | For
    | ForIn
    | Break
    | Continue
)

# Keysets


@dataclass(frozen=True, slots=True)
class AnyKey:
    """`_` or `default`; for a tuple select one AnyKey may stand for all keys."""

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
class SetKey:
    """A value set (all keys of the select at once)."""

    value_set: ValueSet
    span: Span = span_field()


Keyset = AnyKey | ValueKey | MaskKey | RangeKey | SetKey

# Declarations: compared by identity


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """A run-time, constructor or action-data parameter; `direction` as in ParameterType."""

    name: str
    direction: Choice["", "in", "out", "inout"]
    type: Type
    default: Expression | None = None
    optional: bool = False
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    name: str
    type: Type
    initial: Expression | None
    span: Span = span_field()


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """`value` is a compile-time known expression of exactly `type`."""

    name: str
    type: Type
    value: Expression
    span: Span = span_field()


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """An instantiation; `methods` implement abstract methods, each the one at its place in
    `implemented`; `inner` are the instances that only they can use."""

    name: str
    target: Constructible
    arguments: tuple[Expression | None, ...]
    type: Type
    methods: tuple[Function, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()
    inner: tuple[Instance, ...] = ()
    implemented: tuple[ExternFunction, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    name: str
    parameters: tuple[Parameter, ...]
    result: Type
    body: Block
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True, eq=False)
class Action:
    """Directionless parameters (action data) come last."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Block
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True, eq=False)
class ExternFunction:
    """An extern function or method; the types may hold its `variables` (in the order of the type
    arguments of a callee) and, in a method, those of its Extern."""

    name: str
    variables: tuple[TypeVariable, ...]
    parameters: tuple[Parameter, ...]
    result: Type
    abstract: bool = False
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True, eq=False)
class Extern:
    """An extern object type; `constructors` are methods named as the type.

    The arguments of its ExternTypes stand in the order of `variables`.
    """

    name: str
    variables: tuple[TypeVariable, ...]
    constructors: tuple[ExternFunction, ...]
    methods: tuple[ExternFunction, ...]
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True, eq=False)
class Package:
    name: str
    parameters: tuple[Parameter, ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True, eq=False)
class ValueSet:
    name: str
    type: Type
    size: Expression
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class SelectCase:
    """`keysets`: one for each key, or a single AnyKey or SetKey for all."""

    keysets: tuple[Keyset, ...]
    state: str
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Select:
    """Struct and tuple keys are flattened to scalars already."""

    keys: tuple[Expression, ...]
    cases: tuple[SelectCase, ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Goto:
    """`accept`, `reject` or a state of the same parser."""

    state: str
    span: Span = span_field()


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """A state with no transition has Goto `reject`."""

    name: str
    statements: tuple[Statement, ...]
    transition: Goto | Select
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True, eq=False)
class Parser:
    name: str
    parameters: tuple[Parameter, ...]
    constructor_parameters: tuple[Parameter, ...]
    locals: tuple[LocalDeclaration, ...]
    states: tuple[State, ...]
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class TableKey:
    """`name` is the control-plane name: `@name` or the expression as written."""

    expression: Expression
    match_kind: str
    name: str
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class TableAction:
    """`arguments` bind the leading directional parameters; the rest is action data.

    `table_only` and `default_only` are the annotations of those names.
    """

    action: Action
    arguments: tuple[Expression, ...]
    table_only: bool = False
    default_only: bool = False
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class ActionChoice:
    """An action with its action data, in entries and as default: `arguments` are compile-time
    known values of the directionless parameters, in order."""

    action: Action
    arguments: tuple[Expression, ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class TableEntry:
    keysets: tuple[Keyset, ...]
    choice: ActionChoice
    priority: int | None = None
    const: bool = False
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Property:
    """Any further property, with its value as a typed expression (Literal, Construct, ...).

    `given` is the control-plane name that @name gives what the value constructs: a whole one.
    """

    name: str
    value: Expression
    given: str | None = None
    span: Span = span_field()


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """`default` is NoAction() where the program names none; `size` None where not given.
    `empty_group` is what an entry runs whose group of members is empty, None for nothing."""

    name: str
    keys: tuple[TableKey, ...]
    actions: tuple[TableAction, ...]
    default: ActionChoice | None
    default_const: bool
    entries: tuple[TableEntry, ...]
    entries_const: bool
    size: Expression | None
    properties: tuple[Property, ...]
    empty_group: ActionChoice | None = None
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True, eq=False)
class Control:
    name: str
    parameters: tuple[Parameter, ...]
    constructor_parameters: tuple[Parameter, ...]
    locals: tuple[LocalDeclaration, ...]
    apply: Block
    annotations: tuple[Annotation, ...] = ()
    span: Span = span_field()


LocalDeclaration = Variable | Constant | Instance | ValueSet | Action | Table

Constructible = Parser | Control | Extern | Package

Declaration = (
    Constant | Instance | Function | Action | ExternFunction | Extern | Package | Parser | Control
)


@dataclass(frozen=True, slots=True)
class TypedProgram:
    """`errors` in numeric order from 0 (`NoError`); `main` None when there is no such instance.
    `controller_headers` are the headers that @controller_header gives a name."""

    declarations: tuple[Declaration, ...]
    main: Instance | None
    errors: tuple[str, ...]
    match_kinds: tuple[str, ...]
    controller_headers: tuple[tuple[str, Header], ...] = ()
