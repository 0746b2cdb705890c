"""Annotations: raw tokens come in; the name and the one value that later stages use go out."""

from __future__ import annotations

import re

from p4xdp.diagnostics import Note, Span
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.typecheck.context import Context

_ONE_STRING = ("name", "deprecated", "noWarn")


def annotated(cx: Context, written: tuple[syntax.Annotation, ...]) -> tuple[typed.Annotation, ...]:
    if not written:
        return ()
    structured: dict[str, Span] = {}
    unstructured = {a.name: a.span for a in reversed(written) if a.values is None}
    for a in written:
        if a.values is not None:
            _check_structured(cx, a, unstructured | structured)
            structured[a.name] = a.span
    return tuple([_annotation(cx, a) for a in written])


def _check_structured(cx: Context, a: syntax.Annotation, seen: dict[str, Span]) -> None:
    """A structured annotation stands once, with numbers, strings and bools (section 20.2).

    No unstructured one may have its name either.
    """
    if a.name in seen:
        raise cx.reject(
            "duplicate",
            a.span,
            f"annotation `@{a.name}` stands twice",
            notes=(Note("the first one is here", seen[a.name]),),
        )
    for _, value in a.values or ():
        if not isinstance(cx.evaluate(value), typed.Literal):
            text = f"`@{a.name}` takes constant numbers, strings and bools only"
            raise cx.reject("bad-annotation", value.span, text)


def _annotation(cx: Context, a: syntax.Annotation) -> typed.Annotation:
    text = None
    if a.name in _ONE_STRING and a.body is not None:
        _check_string(cx, a)
    if a.body is not None:
        text = joined(a.body)
        if text is None and len(a.body) == 1:
            text = a.body[0]
    elif a.values is not None and len(a.values) == 1 and a.values[0][0] is None:
        value = cx.evaluate(a.values[0][1])
        if isinstance(value, typed.Literal):
            text = str(value.value)
    return typed.Annotation(a.name, text, a.body or (), a.span)


def field_lists(cx: Context, a: syntax.Annotation) -> list[int]:
    """Return the numbers of `@field_list(...)`: constants, names of constants, enum members."""
    if a.values is not None:
        written = [value for _, value in a.values]
    else:
        written = [_constant(a, words) for words in _between_commas(a.body or ())]
    return [_list_number(cx, value) for value in written]


def _between_commas(body: tuple[str, ...]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in body:
        if word == ",":
            parts.append([])
        else:
            parts[-1].append(word)
    return [part for part in parts if part]


def _constant(a: syntax.Annotation, words: list[str]) -> syntax.Expression:
    """Return the expression that the tokens of an annotation stand for."""
    match words:
        case [word] if word.isdigit() or word[:2] in ("0x", "0X", "0b", "0B"):
            return syntax.IntLiteral(int(word, 0 if word[:1] == "0" != word else 10), span=a.span)
        case [word] if word.isidentifier():
            return syntax.NameExpr(syntax.Name(word, span=a.span), a.span)
        case [base, ".", member] if base.isidentifier() and member.isidentifier():
            named = syntax.NamedType(syntax.Name(base, span=a.span), a.span)
            of = syntax.TypeExpr(named, a.span)
            return syntax.Member(of, syntax.Name(member, span=a.span), a.span)
        case _:
            return syntax.StringLiteral(" ".join(words), a.span)


def _list_number(cx: Context, value: syntax.Expression) -> int:
    match cx.evaluate(value):
        case typed.Literal(value=int(number)) if not isinstance(number, bool):
            return number
        case _:
            text = "`@field_list` takes the numbers of lists: constants or enum members"
            raise cx.reject("bad-annotation", value.span, text)


def _check_string(cx: Context, a: syntax.Annotation) -> None:
    if joined(a.body or ()) is None:
        raise cx.reject("bad-annotation", a.span, f"`@{a.name}` takes one string")


def joined(body: tuple[str, ...]) -> str | None:
    """Return the string that `"a" ++ "b" ...` stands for, None for any other tokens."""
    strings, joints = body[::2], body[1::2]
    if len(body) % 2 == 0 or any(joint != "++" for joint in joints):
        return None
    if not all(len(s) > 1 and s.startswith('"') for s in strings):
        return None
    return "".join([unescaped(s[1:-1]) for s in strings])


def unescaped(text: str) -> str:
    """Return what a string literal stands for, given what is between its quotes."""
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], text)


def has(written: tuple[syntax.Annotation, ...], name: str) -> bool:
    return any(a.name == name for a in written)


def local_name(name: str, found: tuple[typed.Annotation, ...]) -> str:
    """Return the control-plane name: that of `@name`, or the identifier."""
    for a in found:
        if a.name == "name" and a.text is not None:
            return a.text
    return name
