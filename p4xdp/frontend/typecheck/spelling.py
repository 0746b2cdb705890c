"""Expressions as P4 text: for key names and for messages that quote the program."""

from __future__ import annotations

from typing import assert_never

from p4xdp.frontend import syntax

_LONGEST = 60


def quote(expression: syntax.Expression) -> str:
    """Return the expression in backticks, or `this expression` when it is long."""
    text = spell(expression)
    return f"`{text}`" if len(text) <= _LONGEST else "this expression"


def spell(e: syntax.Expression) -> str:
    """Return an expression as P4 text with the parentheses that it needs."""
    match e:
        case syntax.IntLiteral():
            return e.text or str(e.value)
        case syntax.BoolLiteral():
            return "true" if e.value else "false"
        case syntax.StringLiteral():
            return f'"{e.value}"'
        case syntax.NameExpr():
            return spell_name(e.name)
        case syntax.TypeExpr():
            return spell_type(e.type)
        case syntax.This():
            return "this"
        case syntax.InvalidHeader():
            return "{#}"
        case syntax.Default():
            return "..."
        case _:
            return _spell_parts(e)


def _spell_parts(
    e: syntax.Member
    | syntax.Index
    | syntax.Slice
    | syntax.Unary
    | syntax.Binary
    | syntax.Conditional
    | syntax.Cast
    | syntax.Call
    | syntax.ListExpr
    | syntax.StructExpr,
) -> str:
    match e:
        case syntax.Member():
            return f"{_tight(e.base)}.{e.name.text}"
        case syntax.Index():
            return f"{_tight(e.base)}[{spell(e.index)}]"
        case syntax.Slice():
            return f"{_tight(e.base)}[{spell(e.high)}{'+:' if e.plus else ':'}{spell(e.low)}]"
        case syntax.Unary():
            return f"{e.op}{_tight(e.operand)}"
        case syntax.Binary():
            return _spell_binary(e)
        case syntax.Conditional():
            return f"{_tight(e.condition)} ? {_tight(e.then)} : {_tight(e.otherwise)}"
        case syntax.Cast():
            return f"({spell_type(e.type)}){_tight(e.operand)}"
        case syntax.Call():
            types = f"<{', '.join(map(spell_type, e.type_arguments))}>" if e.type_arguments else ""
            return f"{_tight(e.callee)}{types}({', '.join(map(_spell_argument, e.arguments))})"
        case syntax.ListExpr():
            parts = [spell(x) for x in e.elements] + ["..."] * e.rest
            return f"{{ {', '.join(parts)} }}"
        case syntax.StructExpr():
            parts = [f"{n.text} = {spell(x)}" for n, x in e.fields] + ["..."] * e.rest
            return f"{{ {', '.join(parts)} }}"
        case _:
            assert_never(e)


def _spell_binary(e: syntax.Binary) -> str:
    """Spell a run of binary operators; the left spine may be long, so no recursion along it."""
    spine = [e]
    while isinstance(spine[-1].left, syntax.Binary):
        spine.append(spine[-1].left)
    text, op = _tight(spine[-1].left), spine[-1].op
    for node in reversed(spine):
        text = text if node.op == op else f"({text})"
        text, op = f"{text} {node.op} {_tight(node.right)}", node.op
    return text


def _tight(e: syntax.Expression) -> str:
    text = spell(e)
    loose = isinstance(e, syntax.Binary | syntax.Conditional | syntax.Cast | syntax.Unary)
    return f"({text})" if loose else text


def _spell_argument(argument: syntax.Argument) -> str:
    value = "_" if argument.value is None else spell(argument.value)
    return f"{argument.name.text} = {value}" if argument.name else value


def spell_name(name: syntax.Name) -> str:
    return f".{name.text}" if name.absolute else name.text


def spell_type(t: syntax.Type) -> str:
    """Return a type as P4 text."""
    match t:
        case syntax.BaseType():
            return t.name
        case syntax.BitType():
            width = spell(t.width)
            return f"{t.kind}<{width}>" if width.isdigit() else f"{t.kind}<({width})>"
        case syntax.NamedType():
            return spell_name(t.name)
        case syntax.SpecializedType():
            return f"{spell_type(t.base)}<{', '.join(map(spell_type, t.arguments))}>"
        case syntax.StackType():
            return f"{spell_type(t.element)}[{spell(t.size)}]"
        case syntax.TupleType():
            return f"tuple<{', '.join(map(spell_type, t.elements))}>"
        case syntax.DontCareType():
            return "_"
        case _:
            assert_never(t)
