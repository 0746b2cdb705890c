"""Lines of C in kernel style: tabs, braces only where a body has more than one line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from p4xdp.records import dataclass, field

COLUMNS = 100
LEAST_ROOM = 20
"""Columns for a piece of a broken line, however deep it stands."""

Write = Callable[["CWriter"], None]


def commented(text: str) -> str:
    """Return `text` for the inside of a comment, which it neither ends nor seems to begin."""
    return re.sub(r"(?<=\*)(?=/)|(?<=/)(?=\*)", " ", text).replace("\n", " ")


@dataclass(slots=True)
class CWriter:
    """Statements in order, each with its depth in tabs; labels and directives keep to the left
    edge all the same."""

    depth: int = 1
    lines: list[tuple[int, str]] = field(default_factory=list)
    _pending: str | None = None

    def line(self, text: str) -> None:
        self._flush()
        self._add(text)

    def comment(self, text: str) -> None:
        """Put a comment before the next line; another comment first takes its place."""
        self._pending = f"/* {commented(text)} */"

    def directive(self, text: str) -> None:
        """Put a preprocessor line before the next line; another first takes its place."""
        self._pending = text

    def label(self, name: str) -> None:
        self._pending = None
        self._add(f"{name}:")

    def text(self) -> str:
        """Return all lines without labels that nothing jumps to."""
        lines = self.finished()
        used = set(GOTO.findall("\n".join([text for _, text in lines])))
        kept = (line for line in lines if not _is_label(line[1]) or line[1][:-1] in used)
        return "".join(_broken(_indented(*line)) + "\n" for line in kept)

    def finished(self) -> list[tuple[int, str]]:
        """Return the lines; a label at the end, which labels nothing, gets a statement."""
        if self.lines and _is_label(self.lines[-1][1]):
            return [*self.lines, (self.depth, ";")]
        return self.lines

    def chain(self, parts: Sequence[tuple[str, Write]]) -> None:
        """Write `head body` parts that belong together: `if (...)`, `else if (...)`, `else`."""
        bodies = [self._written(write) for _, write in parts]
        self._flush()
        if all(_is_simple(body) for body in bodies):
            for (head, _), body in zip(parts, bodies, strict=True):
                self._add(head)
                self.lines += body
            return
        close = ""
        for (head, _), body in zip(parts, bodies, strict=True):
            self._add(f"{close}{head} {{")
            self.lines += body
            close = "} "
        self._add("}")

    def braces(self, head: str, write: Write) -> None:
        """Write `head { ... }`, perhaps without a head, with braces whatever the body."""
        self._block([f"{head} {{".lstrip()], self._written(write))
        self._add("}")

    def switch(self, head: str, write: Write) -> None:
        """Write `head { ... }` with the body, `case` by `case`, at the head's own depth."""
        self._block([f"{head} {{"], self._written(write, deeper=0))
        self._add("}")

    def case(self, labels: Sequence[str], write: Write) -> None:
        """Write `case` labels, and a body at one tab."""
        self._block(labels, self._written(write))

    def _add(self, text: str) -> None:
        self.lines.append((self.depth, text))

    def _block(self, heads: Sequence[str], body: list[tuple[int, str]]) -> None:
        self._flush()
        for head in heads:
            self._add(head)
        self.lines += body

    def _written(self, write: Write, deeper: int = 1) -> list[tuple[int, str]]:
        inner = CWriter(self.depth + deeper)
        write(inner)
        return inner.finished()

    def _flush(self) -> None:
        if self._pending is not None:
            self._add(self._pending)
            self._pending = None


def _is_simple(body: Sequence[tuple[int, str]]) -> bool:
    return len(body) == 1 and body[0][1].endswith(";") and body[0][1] != ";"


GOTO = re.compile(r"\bgoto (\w+);")


def _is_label(line: str) -> bool:
    return line.endswith(":") and not line.startswith(("\t", "case ", "default:"))


def _indented(depth: int, line: str) -> str:
    at_edge = not line or _is_label(line) or line.startswith("#")
    return line if at_edge else "\t" * depth + line


BREAK = re.compile(r"(?:,|&&|\|\||(?<=\) )[+|]) ")


def _broken(line: str) -> str:
    """Break a line that is too long behind commas and operators, two tabs deeper."""
    if len(line.expandtabs(8)) <= COLUMNS or line.startswith("#") or '"' in line or "/*" in line:
        return line
    indent = line[: len(line) - len(line.lstrip("\t"))] + "\t\t"
    start, parts = 0, []
    behind = max(LEAST_ROOM, COLUMNS - len(indent.expandtabs(8)))
    room = behind + 16
    while len(line) - start > room:
        places = [m.end() for m in BREAK.finditer(line, start, start + room)]
        places = places or [m.end() for m in BREAK.finditer(line, start + room)][:1]
        if not places:
            break
        parts.append(line[start : places[-1]].rstrip())
        start = places[-1]
        room = behind
    return f"\n{indent}".join([*parts, line[start:]])


def wrapped(head: str, arguments: list[str], tail: str) -> str:
    """Return a function's head, its parameters aligned where the line has to be broken."""
    indent = "\t" * (len(head) // 8) + " " * (len(head) % 8)
    return filled(head, arguments or ["void"], tail, indent)


def inline_function(result: str, name: str, arguments: list[str], *body: str) -> str:
    """Return a function of a header; `result` ends in what stands in front of the name."""
    head = wrapped(f"static inline {result}{name}(", arguments, ")")
    lines = "".join(f"\t{line}\n" if line else "\n" for line in body)
    return f"{head}\n{{\n{lines}}}\n"


def filled(head: str, items: list[str], tail: str, indent: str, width: int = COLUMNS) -> str:
    """Return `head`, items with commas and `tail`, broken in front of what would pass `width`."""
    lines = [head]
    for i, item in enumerate(items):
        text = item + ("," if i + 1 < len(items) else tail)
        blank = "" if lines[-1] in (head, indent) else " "
        line = lines[-1] + blank + text
        if blank and len(line.expandtabs(8)) > width:
            lines.append(indent + text)
        else:
            lines[-1] = line
    return "\n".join(lines)
