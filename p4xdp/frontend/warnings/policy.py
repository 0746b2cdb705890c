"""What becomes of a warning: shown, dropped, or made an error.

In: the flags of `-W` in the order in which they were given, and, once the program is parsed, its
library files and its `@noWarn` annotations. Out: the diagnostic to keep, or None.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from p4xdp.codes import WARNINGS
from p4xdp.diagnostics import Diagnostic, Severity, Span
from p4xdp.frontend import syntax
from p4xdp.frontend.source import Source
from p4xdp.records import dataclass, field, fields, is_dataclass, replace


@dataclass(frozen=True, slots=True)
class Policy:
    """`quiet` holds the regions of `@noWarn`, each with the name that is not shown there."""

    shown: frozenset[str] = WARNINGS
    errors: frozenset[str] = frozenset()
    libraries: frozenset[str] = frozenset()
    quiet: tuple[tuple[Span, str], ...] = ()
    marks: tuple[str, ...] = field(default=())

    def __call__(self, found: Diagnostic) -> Diagnostic | None:
        if found.severity is not Severity.WARNING or found.code not in WARNINGS:
            return found
        if found.code not in self.shown or self._is_quiet(found):
            return None
        if found.code in self.errors:
            return replace(found, severity=Severity.ERROR)
        return found

    def _is_quiet(self, found: Diagnostic) -> bool:
        if found.span is None:
            return False
        if found.span.file in self.libraries:
            return True
        if found.code == "shadow" and any(
            note.span is not None and note.span.file in self.libraries for note in found.notes
        ):
            return True
        return any(
            name == found.code and _contains(region, found.span) for region, name in self.quiet
        )


def policy_of(flags: Sequence[str]) -> Policy:
    """Return the policy of `-W` flags: NAME, no-NAME, error, error=NAME, no-error[=NAME].

    `all` stands for every name; a later flag wins over an earlier one.
    """
    shown, errors = set(WARNINGS), set[str]()
    for flag in flags:
        on, word = not flag.startswith("no-"), flag.removeprefix("no-")
        kind, _, name = word.partition("=")
        names = WARNINGS if (name or kind) in ("error", "all") else {name or kind}
        chosen = errors if kind == "error" else shown
        if on:
            chosen |= names
            shown |= names if kind == "error" and name else set()
        else:
            chosen -= names
    return Policy(frozenset(shown), frozenset(errors))


def is_flag(text: str) -> bool:
    """Say whether `text` can follow `-W`."""
    kind, equals, name = text.removeprefix("no-").partition("=")
    if equals:
        return kind == "error" and name in WARNINGS
    return kind in WARNINGS or kind in ("all", "error")


def with_program(policy: Policy, source: Source, program: syntax.P4Program) -> Policy:
    """Return the policy that knows the program's library files and `@noWarn` annotations."""
    own = (text for name, text in source.files.items() if name not in source.libraries)
    marked = any("noWarn" in text for text in own)
    quiet = tuple(_regions(program)) if marked else ()
    return replace(policy, libraries=source.libraries, quiet=quiet)


def _contains(region: Span, place: Span) -> bool:
    start, end = (region.line, region.column), (region.end_line, region.end_column)
    return region.file == place.file and start <= (place.line, place.column) <= end


def _regions(program: syntax.P4Program) -> Iterator[tuple[Span, str]]:
    """Yield what each `@noWarn("name")` covers: the whole of what it is written on."""
    waiting: list[object] = [program]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting += node
        elif is_dataclass(node) and not isinstance(node, Span | type):
            waiting += [getattr(node, f.name) for f in fields(node)]
            for annotation in _annotations(node):
                if annotation.name == "noWarn" and annotation.body:
                    span: Span = getattr(node, "span")  # noqa: B009
                    yield span, annotation.body[0].strip('"')


def _annotations(node: object) -> tuple[syntax.Annotation, ...]:
    """Return what is written on a node; the annotations of a function stand in its head."""
    head = getattr(node, "prototype", node)
    found: tuple[syntax.Annotation, ...] = getattr(head, "annotations", ())
    return found
