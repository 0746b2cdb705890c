"""Names for warnings: where a declaration's name stands, and how a place is spelt."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from p4xdp.diagnostics import Span
from p4xdp.frontend import typed

Finder = Callable[[Span, str], Span]
"""Takes the span of a declaration and its name; returns the span of the name."""


def finder(files: Mapping[str, str]) -> Finder:
    """Return a Finder over whole texts by file name; what is not found keeps its span."""
    lines: dict[str, list[str]] = {}

    def find(span: Span, name: str) -> Span:
        if span.file not in files:
            return span
        if span.file not in lines:
            lines[span.file] = files[span.file].split("\n")
        text = lines[span.file]
        for number in range(span.line, min(span.end_line, len(text)) + 1):
            start = span.column - 1 if number == span.line else 0
            match = re.compile(rf"(?<!@)\b{re.escape(name)}\b").search(text[number - 1], start)
            if match:
                return Span(span.file, number, match.start() + 1, number, match.end() + 1)
        return span

    return find


def spell_place(e: typed.Expression) -> str:
    """Return a variable, field or element as P4 text; an index that is no number is `...`."""
    match e:
        case typed.Ref(declaration=declaration):
            return declaration.name
        case typed.Field(base=base, name=name):
            return f"{spell_place(base)}.{name}"
        case typed.TupleIndex(base=base, index=index):
            return f"{spell_place(base)}[{index}]"
        case typed.StackIndex(base=base, index=index):
            shown = index.value if isinstance(index, typed.Literal) else "..."
            return f"{spell_place(base)}[{shown}]"
        case typed.StackProperty(base=base, property=name):
            return f"{spell_place(base)}.{name}"
        case _:
            return "..."
