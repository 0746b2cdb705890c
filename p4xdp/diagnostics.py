"""Places in the source, the messages about them, and how a message is shown.

Every stage reports to one `Diagnostics`; the driver stops at a stage's end when there are errors.
The table of codes is in `codes.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from p4xdp.records import dataclass, field

MOST_ERRORS = 20


@dataclass(frozen=True, slots=True)
class Span:
    """A run of characters: `line` and `column` start at 1, columns count characters.

    `end_column` is the column behind the last character, on `end_line`.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def to(self, end: Span) -> Span:
        """Return the span from the start of this one to the end of `end`."""
        return Span(self.file, self.line, self.column, end.end_line, end.end_column)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


NO_SPAN = Span("<built-in>", 0, 0, 0, 0)


def span_field() -> Span:
    """Return the dataclass field of a node's span: it does not count in comparisons."""
    place: Span = field(default=NO_SPAN, compare=False, repr=False)
    return place


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Note:
    """Another place (or, with no span, a bare fact) that belongs to a diagnostic."""

    text: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    severity: Severity
    code: str
    span: Span | None
    text: str
    notes: tuple[Note, ...] = ()
    help: str | None = None


class CompileError(Exception):
    """The program is wrong, or cannot be carried: the diagnostics say why."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__("; ".join(d.text for d in diagnostics))
        self.diagnostics = diagnostics


class InternalError(Exception):
    """Our own fault: a broken invariant in a named stage."""

    def __init__(self, stage: str, text: str, span: Span | None = None) -> None:
        super().__init__(f"internal error in {stage}: {text}")
        self.stage = stage
        self.span = span


@dataclass(slots=True)
class Diagnostics:
    """Collects messages; each (code, span) is kept once.

    `policy` decides what becomes of each: kept, changed, or None to drop it.
    """

    found: list[Diagnostic] = field(default_factory=list)
    policy: Callable[[Diagnostic], Diagnostic | None] | None = None
    _seen: set[tuple[str, Span | None]] = field(default_factory=set)

    def add(self, diagnostic: Diagnostic) -> None:
        key = (diagnostic.code, diagnostic.span)
        kept = self.policy(diagnostic) if self.policy else diagnostic
        if kept is not None and key not in self._seen:
            self._seen.add(key)
            self.found.append(kept)

    def error(
        self,
        code: str,
        span: Span | None,
        text: str,
        *,
        notes: tuple[Note, ...] = (),
        help: str | None = None,
    ) -> None:
        self.add(Diagnostic(Severity.ERROR, code, span, text, notes, help))

    def warning(
        self,
        code: str,
        span: Span | None,
        text: str,
        *,
        notes: tuple[Note, ...] = (),
        help: str | None = None,
    ) -> None:
        self.add(Diagnostic(Severity.WARNING, code, span, text, notes, help))

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.found if d.severity is Severity.ERROR)

    def stop_on_error(self) -> None:
        """Raise CompileError with everything found so far if any of it is an error."""
        if self.errors:
            raise CompileError(tuple(self.found))


def fail(
    code: str,
    span: Span | None,
    text: str,
    *,
    notes: tuple[Note, ...] = (),
    help: str | None = None,
) -> CompileError:
    """Return the exception for one error after which a stage cannot go on."""
    return CompileError((Diagnostic(Severity.ERROR, code, span, text, notes, help),))


def render(diagnostic: Diagnostic, sources: Mapping[str, str]) -> str:
    """Return the text of a diagnostic: first line, source line with carets, notes, help.

    `sources` maps file names, as in spans, to whole texts; a missing file shows no source line.
    """
    d = diagnostic
    place = f"{d.span}: " if d.span else ""
    lines = [f"{place}{d.severity.value}[{d.code}]: {d.text}"]
    lines += _excerpt(d.span, sources)
    for note in d.notes:
        lines.append(f"{note.span}: note: {note.text}" if note.span else f"note: {note.text}")
        lines += _excerpt(note.span, sources)
    if d.help:
        lines.append(f"help: {d.help}")
    return "\n".join(lines)


def _excerpt(span: Span | None, sources: Mapping[str, str]) -> list[str]:
    if span is None or span.file not in sources or span.line < 1:
        return []
    text = sources[span.file].replace("\r\n", "\n").split("\n")
    if span.line > len(text):
        return []
    row = text[span.line - 1]
    if len(row) > 400:
        return []
    end = span.end_column if span.end_line == span.line else len(row) + 1
    width = max(1, end - span.column)
    lead = "".join("\t" if c == "\t" else " " for c in row[: span.column - 1])
    return [f"{span.line:5} | {row}", f"      | {lead}{'^' * width}"]


def to_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return a JSON-ready object: severity, code, text, place, notes, help."""
    return {
        "severity": diagnostic.severity.value,
        "code": diagnostic.code,
        "text": diagnostic.text,
        "place": _place(diagnostic.span),
        "notes": [{"text": n.text, "place": _place(n.span)} for n in diagnostic.notes],
        "help": diagnostic.help,
    }


def _place(span: Span | None) -> dict[str, Any] | None:
    if span is None:
        return None
    return {
        "file": span.file,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }
