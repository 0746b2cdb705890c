"""Annotations: raw tokens come in; the name and the one value that later stages use go out."""

from __future__ import annotations

from p4xdp.frontend import syntax, typed
from p4xdp.frontend.typecheck.context import Context


def annotated(cx: Context, written: tuple[syntax.Annotation, ...]) -> tuple[typed.Annotation, ...]:
    return tuple([_annotation(cx, a) for a in written]) if written else ()


def _annotation(cx: Context, a: syntax.Annotation) -> typed.Annotation:
    text = None
    if a.body is not None and len(a.body) == 1:
        text = unquote(a.body[0])
    elif a.values is not None and len(a.values) == 1 and a.values[0][0] is None:
        value = cx.evaluate(a.values[0][1])
        if isinstance(value, typed.Literal):
            text = str(value.value)
    return typed.Annotation(a.name, text, a.body or (), a.span)


def unquote(token: str) -> str:
    """Return a string token without its quotes and escapes, any other token as it is."""
    if len(token) < 2 or not (token.startswith('"') and token.endswith('"')):
        return token
    return token[1:-1].replace('\\"', '"').replace("\\\\", "\\")


def has(written: tuple[syntax.Annotation, ...], name: str) -> bool:
    return any(a.name == name for a in written)


def local_name(name: str, found: tuple[typed.Annotation, ...]) -> str:
    """Return the control-plane name: that of `@name`, or the identifier."""
    for a in found:
        if a.name == "name" and a.text is not None:
            return a.text
    return name
