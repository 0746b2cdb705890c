"""Builds the syntax tree: one method for each rule of p4.lark that makes a node.

In: what the parser hands over at a reduction, the span and the children that count. Out: nodes of
`syntax`. The methods also keep `Names`, which tells the parser which names are types.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from p4xdp.diagnostics import Span, span_field
from p4xdp.frontend import syntax as s
from p4xdp.frontend.lexer import Token
from p4xdp.frontend.tree_expressions import ExpressionBuilder
from p4xdp.records import dataclass, replace

T = TypeVar("T")
Annotations = Sequence[s.Annotation] | None


@dataclass(frozen=True, slots=True)
class Declarator:
    """A declared name and the stack sizes behind it: `name[2][3]`."""

    name: s.Name
    sizes: tuple[s.Expression, ...] = ()
    span: Span = span_field()

    def type_of(self, element: s.Type) -> s.Type:
        """Return the declared type, given the one in front of the name."""
        for size in self.sizes:
            element = s.StackType(element, size, element.span.to(self.span))
        return element


class TreeBuilder(ExpressionBuilder):
    """Declarations, statements and the whole program."""

    def start(self, span: Span, declarations: list[s.Declaration | None]) -> s.P4Program:
        return s.P4Program(tuple(d for d in declarations if d is not None))

    # Declarations

    def constant(
        self,
        span: Span,
        annotations: Annotations,
        const: Token,
        type_: s.Type,
        declarator: Declarator,
        value: s.Expression,
    ) -> s.Constant:
        self._names.declare_object(declarator.name.text)
        declared = declarator.type_of(type_)
        return s.Constant(declared, declarator.name, value, _tuple(annotations), span)

    def declarator(self, span: Span, name: s.Name) -> Declarator:
        return Declarator(name, (), span)

    def array_declarator(
        self, span: Span, declarator: Declarator, size: s.Expression
    ) -> Declarator:
        return Declarator(declarator.name, (*declarator.sizes, size), span)

    def extern_function(
        self, span: Span, annotations: Annotations, prototype: s.Prototype
    ) -> s.ExternFunction:
        self._names.leave()
        return s.ExternFunction(prototype, _tuple(annotations), span)

    def extern_object(
        self,
        span: Span,
        annotations: Annotations,
        name: s.Name,
        type_parameters: Sequence[s.Name] | None,
        methods: Sequence[s.Prototype],
    ) -> s.ExternObject:
        self._names.leave()
        return s.ExternObject(
            name, _tuple(type_parameters), tuple(methods), _tuple(annotations), span
        )

    def extern_forward(self, span: Span, annotations: Annotations, name: s.Name) -> None:
        self._names.leave()

    def method(
        self,
        span: Span,
        annotations: Annotations,
        abstract: Token | None,
        prototype: s.Prototype,
    ) -> s.Prototype:
        self._names.leave()
        return replace(
            prototype,
            abstract=abstract is not None,
            annotations=_tuple(annotations),
            span=span,
        )

    def constructor_name(self, span: Span, token: Token) -> s.Name:
        self._names.enter()
        return s.Name(token.text, False, span)

    def constructor(
        self,
        span: Span,
        annotations: Annotations,
        name: s.Name,
        parameters: Sequence[s.Parameter],
    ) -> s.Prototype:
        self._names.leave()
        return s.Prototype(None, name, (), tuple(parameters), False, _tuple(annotations), span)

    def prototype(
        self,
        span: Span,
        result: s.Type,
        name: s.Name,
        type_parameters: Sequence[s.Name] | None,
        parameters: Sequence[s.Parameter],
    ) -> s.Prototype:
        return s.Prototype(
            result, name, _tuple(type_parameters), tuple(parameters), False, (), span
        )

    def undeclared_result(self, span: Span, token: Token) -> s.Type:
        return s.NamedType(s.Name(token.text, False, span), span)

    def void(self, span: Span) -> s.Type:
        return s.BaseType("void", span)

    def function(
        self,
        span: Span,
        annotations: Annotations,
        prototype: s.Prototype,
        body: s.Block,
    ) -> s.Function:
        self._names.leave()
        head = replace(prototype, annotations=tuple(annotations)) if annotations else prototype
        return s.Function(head, body, span)

    def parameter(
        self,
        span: Span,
        annotations: Annotations,
        direction: s.Direction | None,
        type_: s.Type,
        declarator: Declarator,
        default: s.Expression | None,
    ) -> s.Parameter:
        self._names.declare_object(declarator.name.text)
        return s.Parameter(
            direction or s.Direction.NONE,
            declarator.type_of(type_),
            declarator.name,
            default,
            _tuple(annotations),
            span,
        )

    def direction(self, span: Span, token: Token) -> s.Direction:
        return s.Direction(token.text)

    def action(
        self,
        span: Span,
        annotations: Annotations,
        name: s.Name,
        parameters: Sequence[s.Parameter],
        body: s.Block,
    ) -> s.Action:
        self._names.leave()
        return s.Action(name, tuple(parameters), body, _tuple(annotations), span)

    def fields_declaration(
        self,
        span: Span,
        annotations: Annotations,
        kind: str,
        name: s.Name,
        type_parameters: Sequence[s.Name] | None,
        fields: Sequence[s.Field],
    ) -> s.FieldsDeclaration:
        self._names.leave()
        return s.FieldsDeclaration(
            kind, name, _tuple(type_parameters), tuple(fields), _tuple(annotations), span
        )

    def field(
        self, span: Span, annotations: Annotations, type_: s.Type, declarator: Declarator
    ) -> s.Field:
        return s.Field(declarator.type_of(type_), declarator.name, _tuple(annotations), span)

    def plain_enum(
        self, span: Span, annotations: Annotations, name: s.Name, names: Sequence[s.Name]
    ) -> s.EnumDeclaration:
        members = tuple((member, None) for member in names)
        return s.EnumDeclaration(None, name, members, _tuple(annotations), span)

    def valued_enum(
        self,
        span: Span,
        annotations: Annotations,
        type_: s.Type,
        name: s.Name,
        members: Sequence[tuple[s.Name, s.Expression]],
    ) -> s.EnumDeclaration:
        return s.EnumDeclaration(type_, name, tuple(members), _tuple(annotations), span)

    def name_value(
        self, span: Span, name: s.Name, value: s.Expression
    ) -> tuple[s.Name, s.Expression]:
        return name, value

    def error_declaration(self, span: Span, names: Sequence[s.Name]) -> s.ErrorDeclaration:
        return s.ErrorDeclaration(tuple(names), span)

    def match_kind_declaration(self, span: Span, names: Sequence[s.Name]) -> s.MatchKindDeclaration:
        return s.MatchKindDeclaration(tuple(names), span)

    def type_alias(
        self,
        span: Span,
        annotations: Annotations,
        target: s.Type | s.FieldsDeclaration | s.EnumDeclaration,
        declarator: Declarator,
    ) -> s.TypeAlias:
        self._names.declare_type(declarator.name.text)
        if not isinstance(target, s.FieldsDeclaration | s.EnumDeclaration):
            target = declarator.type_of(target)
        return s.TypeAlias(False, target, declarator.name, _tuple(annotations), span)

    def new_type(
        self,
        span: Span,
        annotations: Annotations,
        keyword: Token,
        target: s.Type,
        declarator: Declarator,
    ) -> s.TypeAlias:
        self._names.declare_type(declarator.name.text)
        target = declarator.type_of(target)
        return s.TypeAlias(True, target, declarator.name, _tuple(annotations), span)

    def head(
        self,
        span: Span,
        annotations: Annotations,
        kind: str,
        name: s.Name,
        type_parameters: Sequence[s.Name] | None,
        parameters: Sequence[s.Parameter],
    ) -> s.ArchitectureType:
        return s.ArchitectureType(
            kind, name, _tuple(type_parameters), tuple(parameters), _tuple(annotations), span
        )

    def architecture_type(self, span: Span, head: s.ArchitectureType) -> s.ArchitectureType:
        self._names.leave()
        return head

    def instantiation(
        self,
        span: Span,
        annotations: Annotations,
        construction: s.Call,
        declarator: Declarator,
        initializer: Sequence[s.Declaration] | None,
    ) -> s.Instantiation:
        self._names.declare_object(declarator.name.text)
        assert isinstance(construction.callee, s.TypeExpr)
        return s.Instantiation(
            declarator.type_of(construction.callee.type),
            construction.arguments,
            declarator.name,
            None if initializer is None else tuple(initializer),
            _tuple(annotations),
            span,
        )

    def construction(self, span: Span, type_: s.Type, arguments: Sequence[s.Argument]) -> s.Call:
        return s.Call(s.TypeExpr(type_, type_.span), (), tuple(arguments), span)

    # Parsers

    def parser(
        self,
        span: Span,
        head: s.ArchitectureType,
        constructor_parameters: Sequence[s.Parameter] | None,
        locals_: Sequence[s.Declaration],
        states: Sequence[s.State] | None,
    ) -> s.Parser:
        self._names.leave()
        return s.Parser(
            head.name,
            head.type_parameters,
            head.parameters,
            _tuple(constructor_parameters),
            tuple(locals_),
            _tuple(states),
            head.annotations,
            span,
        )

    def value_set(
        self,
        span: Span,
        annotations: Annotations,
        type_: s.Type,
        size: s.Expression,
        name: s.Name,
    ) -> s.ValueSet:
        self._names.declare_object(name.text)
        return s.ValueSet(type_, size, name, _tuple(annotations), span)

    def state(
        self,
        span: Span,
        annotations: Annotations,
        name: s.Name,
        statements: Sequence[s.Statement],
        transition: s.Name | s.Select | None,
    ) -> s.State:
        return s.State(name, tuple(statements), transition, _tuple(annotations), span)

    def select(
        self, span: Span, keys: Sequence[s.Expression], cases: Sequence[s.SelectCase]
    ) -> s.Select:
        return s.Select(tuple(keys), tuple(cases), span)

    def select_case(self, span: Span, keyset: s.Keyset, state: s.Name) -> s.SelectCase:
        return s.SelectCase(keyset, state, span)

    def tuple_keyset(self, span: Span, first: s.Keyset, others: Sequence[s.Keyset]) -> s.TupleKey:
        return s.TupleKey((first, *others), span)

    def single_keyset(self, span: Span, keyset: s.Keyset) -> s.TupleKey:
        return s.TupleKey((keyset,), span)

    def value_key(self, span: Span, value: s.Expression) -> s.ValueKey:
        return s.ValueKey(value, span)

    def mask_key(self, span: Span, value: s.Expression, mask: s.Expression) -> s.MaskKey:
        return s.MaskKey(value, mask, span)

    def range_key(self, span: Span, low: s.Expression, high: s.Expression) -> s.RangeKey:
        return s.RangeKey(low, high, span)

    def default_key(self, span: Span) -> s.DontCareKey:
        return s.DontCareKey(True, span)

    def any_key(self, span: Span) -> s.DontCareKey:
        return s.DontCareKey(False, span)

    # Controls and tables

    def control(
        self,
        span: Span,
        head: s.ArchitectureType,
        constructor_parameters: Sequence[s.Parameter] | None,
        locals_: Sequence[s.Declaration],
        apply: s.Block,
    ) -> s.Control:
        self._names.leave()
        return s.Control(
            head.name,
            head.type_parameters,
            head.parameters,
            _tuple(constructor_parameters),
            tuple(locals_),
            apply,
            head.annotations,
            span,
        )

    def table(
        self,
        span: Span,
        annotations: Annotations,
        name: s.Name,
        properties: Sequence[s.TableProperty],
    ) -> s.Table:
        return s.Table(name, tuple(properties), _tuple(annotations), span)

    def key_property(self, span: Span, elements: Sequence[s.KeyElement]) -> s.KeyProperty:
        return s.KeyProperty(tuple(elements), span)

    def key_element(
        self, span: Span, expression: s.Expression, kind: s.Name, annotations: Annotations
    ) -> s.KeyElement:
        return s.KeyElement(expression, kind, _tuple(annotations), span)

    def actions_property(self, span: Span, actions: Sequence[s.ActionRef]) -> s.ActionsProperty:
        return s.ActionsProperty(tuple(actions), span)

    def listed_action(
        self, span: Span, annotations: Annotations, action: s.ActionRef
    ) -> s.ActionRef:
        return replace(action, annotations=tuple(annotations)) if annotations else action

    def action_ref(
        self, span: Span, name: s.Name, arguments: Sequence[s.Argument] | None
    ) -> s.ActionRef:
        return s.ActionRef(name, None if arguments is None else tuple(arguments), (), span)

    def entries_property(
        self,
        span: Span,
        annotations: Annotations,
        const: Token | None,
        entries: Sequence[s.Entry],
    ) -> s.EntriesProperty:
        return s.EntriesProperty(const is not None, tuple(entries), span)

    def entry(
        self,
        span: Span,
        const: Token | None,
        priority: s.Expression | None,
        keyset: s.Keyset,
        action: s.ActionRef,
        annotations: Annotations,
    ) -> s.Entry:
        return s.Entry(keyset, action, priority, const is not None, _tuple(annotations), span)

    def other_property(
        self,
        span: Span,
        annotations: Annotations,
        const: Token | None,
        name: s.Name,
        value: s.Expression,
    ) -> s.OtherProperty:
        return s.OtherProperty(const is not None, name, value, _tuple(annotations), span)

    # Statements

    def block(
        self, span: Span, annotations: Annotations, statements: Sequence[s.Statement]
    ) -> s.Block:
        return s.Block(tuple(statements), _tuple(annotations), span)

    def variable_head(
        self,
        span: Span,
        annotations: Annotations,
        type_: s.Type,
        declarator: Declarator,
        value: s.Expression | None,
    ) -> s.Variable:
        self._names.declare_object(declarator.name.text)
        declared = declarator.type_of(type_)
        return s.Variable(declared, declarator.name, value, _tuple(annotations), span)

    def empty(self, span: Span) -> s.Empty:
        return s.Empty(span)

    def if_statement(
        self,
        span: Span,
        condition: s.Expression,
        then: s.Statement,
        otherwise: s.Statement | None,
    ) -> s.If:
        return s.If(condition, then, otherwise, span)

    def return_statement(self, span: Span, value: s.Expression | None) -> s.Return:
        return s.Return(value, span)

    def exit_statement(self, span: Span) -> s.Exit:
        return s.Exit(span)

    def break_statement(self, span: Span) -> s.Break:
        return s.Break(span)

    def continue_statement(self, span: Span) -> s.Continue:
        return s.Continue(span)

    def switch(self, span: Span, selector: s.Expression, cases: Sequence[s.SwitchCase]) -> s.Switch:
        return s.Switch(selector, tuple(cases), span)

    def switch_case(
        self, span: Span, label: s.Expression | None, body: s.Block | None
    ) -> s.SwitchCase:
        return s.SwitchCase(label, body, span)

    def default_label(self, span: Span) -> None:
        """Return the label of `default`, which is none."""

    def assignment(
        self, span: Span, target: s.Expression, operator: str, value: s.Expression
    ) -> s.Assignment:
        return s.Assignment(target, operator, value, span)

    def call_statement(self, span: Span, call: s.Expression) -> s.Statement:
        if isinstance(call, s.Call):
            return s.CallStatement(call, span)
        self._diagnostics.error(
            "syntax",
            call.span,
            "this expression does nothing; a statement is an assignment or a call",
        )
        return s.Empty(span)

    def for_keyword(self, span: Span) -> None:
        self._names.enter()

    def for_loop(
        self,
        span: Span,
        annotations: Annotations,
        keyword: None,
        init: Sequence[s.Statement],
        condition: s.Expression,
        update: Sequence[s.Statement],
        body: s.Statement,
    ) -> s.For:
        self._names.leave()
        return s.For(tuple(init), condition, tuple(update), body, span)

    def for_in(
        self,
        span: Span,
        annotations: Annotations,
        keyword: None,
        own_annotations: Annotations,
        type_: s.Type,
        name: s.Name,
        collection: s.Expression | tuple[s.Expression, s.Expression],
        body: s.Statement,
    ) -> s.ForIn:
        self._names.leave()
        if isinstance(collection, tuple):
            return s.ForIn(type_, name, *collection, body, span)
        return s.ForIn(type_, name, collection, None, body, span)

    def for_range(
        self, span: Span, low: s.Expression, high: s.Expression
    ) -> tuple[s.Expression, s.Expression]:
        return low, high


def _tuple(items: Sequence[T] | None) -> tuple[T, ...]:
    return tuple(items) if items else ()
