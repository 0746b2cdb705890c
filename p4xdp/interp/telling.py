"""Events as people read them, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, assert_never

from p4xdp.diagnostics import Span
from p4xdp.interp.events import (
    Applied,
    Assigned,
    Began,
    Branched,
    Called,
    Emitted,
    Ended,
    Entered,
    Event,
    Exited,
    Extracted,
    Moved,
    Rejected,
    Returned,
    Selected,
)
from p4xdp.records import fields

PLACE_WIDTH = 20
"""Columns for the place in the source, which stands in front of each line."""

Pairs = Sequence[tuple[str, str]]


class Teller:
    """Turns the events of a packet into lines, one behind the other, indented as they nest."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._follows_lookup = False

    def lines(self, event: Event) -> list[str]:
        """Return the lines for the next event."""
        after_lookup, self._follows_lookup = self._follows_lookup, isinstance(event, Applied)
        match event:
            case Ended():
                self._open.pop()
                return []
            case Began():
                line = [] if after_lookup and event.kind == "action" else [self._line(event)]
                self._open.append(event.kind)
                return line
            case _:
                return [self._line(event)]

    def _line(self, event: Event) -> str:
        depth = sum(2 if kind == "parser" else 1 for kind in self._open)
        if isinstance(event, Entered):
            depth -= 1
        return f"  {_place(event.span):<{PLACE_WIDTH}} {'  ' * depth}{text_of(event)}"


def _place(span: Span) -> str:
    return f"{PurePath(span.file).name}:{span.line}"


def text_of(event: Event) -> str:
    """Return an event in words, without its place."""
    match event:
        case Began(kind=kind, name=name, arguments=arguments):
            return f"{kind} {name}" + (f"({_pairs(arguments)})" if arguments else "")
        case Ended():
            return "end"
        case Entered(state=state):
            return f"state {state}"
        case Extracted():
            return _extracted(event)
        case Selected(keys=keys, state=state):
            return f"select {', '.join(keys)} -> {state}" if keys else f"-> {state}"
        case Rejected(error=error):
            return f"reject: error.{error}"
        case Applied():
            return _applied(event)
        case Assigned(target=target, value=value):
            return f"{target} = {value}"
        case Branched(value=value):
            return f"if: {'true' if value else 'false'}"
        case Called(what=what, arguments=arguments, results=results, returned=returned):
            came = _came(results, returned)
            return f"{what}({_pairs(arguments)})" + (f": {came}" if came else "")
        case Returned(results=results, returned=returned):
            return f"gives {_came(results, returned)}"
        case Emitted(header=header, size=size):
            return f"emit {header}, {_size(size)}"
        case Exited():
            return "exit"
        case Moved(what=what):
            return what
        case _:
            assert_never(event)


def _pairs(pairs: Pairs) -> str:
    return ", ".join(f"{name} = {value}" for name, value in pairs)


def _came(results: Pairs, returned: str | None) -> str:
    """Return what came of a call: its value, then what its out parameters got."""
    return ", ".join([*([] if returned is None else [returned]), *filter(None, [_pairs(results)])])


def _size(bits: int) -> str:
    return f"{bits} bits" if bits % 8 else f"{bits // 8} bytes"


def _extracted(event: Extracted) -> str:
    where = f"bit {event.offset}" if event.offset % 8 else f"byte {event.offset // 8}"
    return f"extract {event.header} at {where}, {_size(event.size)}: {_pairs(event.fields)}"


def _applied(event: Applied) -> str:
    keys = f" [{_pairs(event.keys)}]" if event.keys else ""
    outcome = "miss" if event.entry is None else f"hit {PurePath(event.entry).name}"
    return f"table {event.table}{keys}: {outcome}, {event.action}({_pairs(event.arguments)})"


def to_json(event: Event) -> dict[str, Any]:
    """Return an event as a JSON object: what it is, where, and its own facts."""
    span = event.span
    found: dict[str, Any] = {
        "event": type(event).__name__.lower(),
        "file": span.file,
        "line": span.line,
        "column": span.column,
    }
    for field in fields(event):
        value = getattr(event, field.name)
        if field.name == "span":
            continue
        is_pairs = isinstance(value, tuple) and all(isinstance(v, tuple) for v in value)
        found[field.name] = dict(value) if is_pairs and field.name != "keys" else value
    if isinstance(event, Applied):
        found["keys"] = dict(event.keys)
    return found
