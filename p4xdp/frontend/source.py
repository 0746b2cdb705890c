"""The program text as it leaves the preprocessor, each piece with its place in the user's files."""

from __future__ import annotations

from collections.abc import Mapping

from p4xdp.diagnostics import Note, Span
from p4xdp.records import dataclass, field

LONGEST_EXPANSION = 80


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of text and the place of its first character.

    With `pinned` the text comes from a macro and all of it counts as standing at that place.
    """

    text: str
    file: str
    line: int
    column: int
    pinned: Span | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """What `preprocess` returns: the chunks in order and the whole text of every file read.

    `included_at` maps a file's name to the place of the directive that included it first; `end` is
    the place behind the last character of the main file; `expanded` maps the place of a macro's use
    to what it stands for. `libraries` names the files that came by `#include <...>`.
    """

    chunks: tuple[Chunk, ...]
    files: dict[str, str]
    end: Span
    included_at: Mapping[str, Span] = field(default_factory=dict)
    expanded: Mapping[Span, str] = field(default_factory=dict)
    libraries: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """The preprocessed text, without places."""
        return "".join(chunk.text for chunk in self.chunks)

    def notes(self, span: Span) -> tuple[Note, ...]:
        """Return how `span` came to be: the macro, then each `#include` from the inner one out."""
        notes = []
        if text := " ".join(self.expanded.get(span, "").split()):
            shown = text if len(text) <= LONGEST_EXPANSION else f"{text[:LONGEST_EXPANSION]}..."
            notes.append(Note(f"this macro stands for `{shown}`", span))
        seen = {span.file}
        place = self.included_at.get(span.file)
        while place is not None and place.file not in seen:
            notes.append(Note(f"`{span.file}` is included here", place))
            seen.add(place.file)
            span, place = place, self.included_at.get(place.file)
        return tuple(notes)
