"""Builds names, annotations, types and expressions; the half of the tree builder below `tree`.

In: what the parser hands over at a reduction, the span and the children that count. Out: nodes of
`syntax`. A method is named like the rule of p4.lark, or the alias, that it builds.
"""

from __future__ import annotations

from collections.abc import Sequence

from p4xdp.diagnostics import Diagnostics, Span
from p4xdp.frontend import syntax as s
from p4xdp.frontend.lexer import Number, Token
from p4xdp.frontend.names import Names
from p4xdp.records import replace

PRECEDENCE = {
    operator: level
    for level, operators in enumerate(
        (
            ("||",),
            ("&&",),
            ("==", "!="),
            ("<", ">", "<=", ">="),
            ("|",),
            ("^",),
            ("&",),
            ("<<", ">>"),
            ("+", "-", "|+|", "|-|", "++"),
            ("*", "/", "%"),
        ),
        start=1,
    )
    for operator in operators
}


class ExpressionBuilder:
    """What stands inside declarations and statements."""

    def __init__(self, names: Names, diagnostics: Diagnostics) -> None:
        self._names = names
        self._diagnostics = diagnostics

    # Names and annotations

    def plain_name(self, span: Span, token: Token) -> s.Name:
        return s.Name(token.text, False, span)

    def absolute_name(self, span: Span, name: s.Name) -> s.Name:
        return s.Name(name.text, True, span)

    def type_declared(self, span: Span, name: s.Name) -> s.Name:
        self._names.declare_type(name.text)
        return name

    def object_declared(self, span: Span, name: s.Name) -> s.Name:
        self._names.declare_object(name.text)
        return name

    def type_opened(self, span: Span, name: s.Name) -> s.Name:
        self._names.declare_type(name.text)
        self._names.enter()
        return name

    def object_opened(self, span: Span, name: s.Name) -> s.Name:
        self._names.declare_object(name.text)
        self._names.enter()
        return name

    def annotation(self, span: Span, name: Token, body: Token | None) -> s.Annotation:
        return s.Annotation(name.text, _body(body), None, span)

    def list_annotation(
        self, span: Span, name: Token, values: Sequence[s.Expression]
    ) -> s.Annotation:
        return s.Annotation(name.text, None, tuple((None, value) for value in values), span)

    def named_annotation(
        self, span: Span, name: Token, values: Sequence[tuple[s.Name, s.Expression]]
    ) -> s.Annotation:
        return s.Annotation(name.text, None, tuple((key.text, v) for key, v in values), span)

    def pragma(self, span: Span, token: Token) -> s.Annotation:
        words = _body(token) or ("",)
        return s.Annotation(words[0], words[1:], None, span)

    # Types

    def base_type(self, span: Span, keyword: Token) -> s.BaseType:
        return s.BaseType(keyword.text, span)

    def single_bit(self, span: Span, keyword: Token) -> s.BitType:
        return s.BitType("bit", s.IntLiteral(1, text="1", span=span), span)

    def sized_type(
        self, span: Span, keyword: Token, opening: Token, width: s.Expression, closing: Token
    ) -> s.BitType:
        return s.BitType(keyword.text, width, span)

    def type_name(self, span: Span, token: Token) -> s.NamedType:
        return s.NamedType(s.Name(token.text, False, span), span)

    def absolute_type_name(self, span: Span, token: Token) -> s.NamedType:
        return s.NamedType(s.Name(token.text, True, span), span)

    def specialized_type(
        self, span: Span, base: s.NamedType, arguments: Sequence[s.Type]
    ) -> s.SpecializedType:
        return s.SpecializedType(base, tuple(arguments), span)

    def list_type(self, span: Span, element: s.Type) -> s.SpecializedType:
        name = replace(span, end_line=span.line, end_column=span.column + len("list"))
        base = s.NamedType(s.Name("list", False, name), name)
        return s.SpecializedType(base, (element,), span)

    def tuple_type(self, span: Span, elements: Sequence[s.Type]) -> s.TupleType:
        return s.TupleType(tuple(elements), span)

    def stack_type(self, span: Span, element: s.Type, size: s.Expression) -> s.StackType:
        return s.StackType(element, size, span)

    def undeclared_type_argument(self, span: Span, name: s.Name) -> s.NamedType:
        return s.NamedType(name, span)

    def any_type(self, span: Span) -> s.DontCareType:
        return s.DontCareType(span)

    # Expressions

    def argument(self, span: Span, value: s.Expression) -> s.Argument:
        return s.Argument(None, value, span)

    def named_argument(self, span: Span, name: s.Name, value: s.Expression) -> s.Argument:
        return s.Argument(name, value, span)

    def any_argument(self, span: Span) -> s.Argument:
        return s.Argument(None, None, span)

    def named_any_argument(self, span: Span, name: s.Name) -> s.Argument:
        return s.Argument(name, None, span)

    def chained(self, span: Span, chain: list[s.Expression | str]) -> s.Expression:
        """Group operands and operators by precedence; every operator groups to the left."""
        operands: list[s.Expression] = []
        operators: list[str] = []
        for item in chain:
            if isinstance(item, str):
                level = PRECEDENCE[item]
                while operators and PRECEDENCE[operators[-1]] >= level:
                    _join(operands, operators)
                operators.append(item)
            else:
                operands.append(item)
        while operators:
            _join(operands, operators)
        return operands[0]

    def conditional(
        self,
        span: Span,
        condition: list[s.Expression | str],
        then: s.Expression,
        otherwise: s.Expression,
    ) -> s.Conditional:
        return s.Conditional(self.chained(span, condition), then, otherwise, span)

    def default_expression(self, span: Span) -> s.Default:
        return s.Default(span)

    def word(self, span: Span, token: Token) -> str:
        return token.text

    def unary_expression(self, span: Span, operator: str, operand: s.Expression) -> s.Unary:
        return s.Unary(operator, operand, span)

    def cast(self, span: Span, type_: s.Type, operand: s.Expression) -> s.Cast:
        return s.Cast(type_, operand, span)

    def list_expression(self, span: Span, elements: Sequence[s.Expression]) -> s.ListExpr:
        if elements and isinstance(elements[-1], s.Default):
            return s.ListExpr(tuple(elements[:-1]), True, span)
        return s.ListExpr(tuple(elements), False, span)

    def struct_expression(
        self, span: Span, fields: Sequence[tuple[s.Name, s.Expression]]
    ) -> s.StructExpr:
        return s.StructExpr(tuple(fields), False, span)

    def open_struct_expression(
        self, span: Span, fields: Sequence[tuple[s.Name, s.Expression]]
    ) -> s.StructExpr:
        return s.StructExpr(tuple(fields), True, span)

    def invalid_header(self, span: Span) -> s.InvalidHeader:
        return s.InvalidHeader(span)

    def member(self, span: Span, base: s.Expression, name: s.Name) -> s.Member:
        return s.Member(base, name, span)

    def type_member(self, span: Span, base: s.Type, name: s.Name) -> s.Member:
        return s.Member(s.TypeExpr(base, base.span), name, span)

    def index(self, span: Span, base: s.Expression, index: s.Expression) -> s.Index:
        return s.Index(base, index, span)

    def slice(
        self, span: Span, base: s.Expression, high: s.Expression, low: s.Expression
    ) -> s.Slice:
        return s.Slice(base, high, low, False, span)

    def plus_slice(
        self, span: Span, base: s.Expression, low: s.Expression, width: s.Expression
    ) -> s.Slice:
        return s.Slice(base, low, width, True, span)

    def call(self, span: Span, callee: s.Expression, arguments: Sequence[s.Argument]) -> s.Call:
        return s.Call(callee, (), tuple(arguments), span)

    def generic_call(
        self,
        span: Span,
        callee: s.Expression,
        opening: Token,
        type_arguments: Sequence[s.Type],
        arguments: Sequence[s.Argument],
    ) -> s.Call:
        return s.Call(callee, tuple(type_arguments), tuple(arguments), span)

    def string(self, span: Span, token: Token) -> s.StringLiteral:
        return s.StringLiteral(token.text[1:-1], span)

    def true(self, span: Span) -> s.BoolLiteral:
        return s.BoolLiteral(True, span)

    def false(self, span: Span) -> s.BoolLiteral:
        return s.BoolLiteral(False, span)

    def this(self, span: Span) -> s.This:
        return s.This(span)

    def name_expression(self, span: Span, name: s.Name) -> s.NameExpr:
        return s.NameExpr(name, span)

    def parenthesized(self, span: Span, inner: s.Expression) -> s.Expression:
        return replace(inner, span=span)

    def integer(self, span: Span, token: Token) -> s.IntLiteral:
        number = token.value
        assert isinstance(number, Number)
        return s.IntLiteral(number.value, number.width, number.signed, token.text, span)


def _join(operands: list[s.Expression], operators: list[str]) -> None:
    right = operands.pop()
    left = operands.pop()
    operands.append(s.Binary(operators.pop(), left, right, left.span.to(right.span)))


def _body(token: Token | None) -> tuple[str, ...] | None:
    if token is None:
        return None
    assert isinstance(token.value, tuple)
    return token.value
