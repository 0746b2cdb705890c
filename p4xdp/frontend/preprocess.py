"""Reads the program and what it includes; no compiler is needed.

In: the path of the main file, include directories and `-D` macros. Out: a `Source`, whose chunks
keep the place of every character in the user's files. What a macro expands to counts as standing
where the macro was used. Directives are handled here, macros and `#if` expressions in `macros`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from p4xdp.diagnostics import Diagnostics, Note, Span
from p4xdp.frontend.macros import Macro, MacroError, Macros
from p4xdp.frontend.source import Chunk, Source
from p4xdp.records import dataclass

__all__ = ["Source", "preprocess"]

MOST_NESTED_INCLUDES = 100

_COMMENT = r"//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z)"
_STRING = r'"(?:\\.|[^"\\])*(?:"|\Z)'
_DIRECTIVE = r"^[ \t]*\#(?:\\\n|/\*.*?(?:\*/|\Z)|//(?:\\\n|[^\n])*|[^\n])*"
_SKIPPED = re.compile(rf"(?P<directive>{_DIRECTIVE})|{_COMMENT}", re.DOTALL | re.MULTILINE)
_PLAIN = re.compile(rf"(?P<directive>{_DIRECTIVE})|{_COMMENT}|{_STRING}", re.DOTALL | re.MULTILINE)
_WORDS = re.compile(
    rf"(?P<directive>{_DIRECTIVE})|{_COMMENT}|{_STRING}"
    r"|[0-9][A-Za-z0-9_]*|(?P<word>[A-Za-z_][A-Za-z0-9_]*)",
    re.DOTALL | re.MULTILINE,
)
_ARGUMENTS = re.compile(rf"{_COMMENT}|{_STRING}|[()]|^[ \t]*\#", re.DOTALL | re.MULTILINE)
_HEAD = re.compile(r"[ \t]*#[ \t]*(?P<word>[A-Za-z_]\w*|[0-9]+)?[ \t]*(?P<rest>.*)", re.DOTALL)
_DEFINE = re.compile(
    r"(?P<name>[A-Za-z_]\w*)(?:\((?P<parameters>[^()]*)\))?(?P<body>.*)", re.DOTALL
)
_INCLUDE = re.compile(r'"(?P<quoted>[^"]+)"|<(?P<angled>[^>]+)>')
_LINE = re.compile(r'(?P<line>[0-9]+)(?:\s+"(?P<file>[^"]*)")?')
_IN_DIRECTIVE = re.compile(rf"(?P<string>{_STRING})|{_COMMENT}|\\\n", re.DOTALL)


def preprocess(
    path: Path,
    include_dirs: Sequence[Path],
    defines: Mapping[str, str],
    diagnostics: Diagnostics,
) -> Source:
    """Return the program in `path` with its includes and macros worked out.

    `"file"` is looked for beside the including file, in `include_dirs`, then among the files that
    come with p4xdp; `<file>` in the last two. Raises CompileError.
    """
    _check_include_dirs(include_dirs, diagnostics)
    preprocessor = _Preprocessor(include_dirs, diagnostics)
    for name, body in defines.items():
        preprocessor.command_line(name, body)
    source = preprocessor.main(path)
    diagnostics.stop_on_error()
    return source


def _check_include_dirs(include_dirs: Sequence[Path], diagnostics: Diagnostics) -> None:
    missing = [f"`{path}`" for path in include_dirs if not os.path.isdir(path)]
    if missing:
        text = f"`-I` names what is no directory: {', '.join(missing)}"
        help = "a relative path counts from the directory that p4xdp is run in"
        diagnostics.warning("include-dir", None, text, help=help)


@dataclass(slots=True)
class _Condition:
    """An open `#if`: where it began; whether its text counts now, has counted, may count."""

    start: Span
    active: bool
    taken: bool
    possible: bool
    in_else: bool = False


class _Preprocessor:
    def __init__(self, include_dirs: Sequence[Path], diagnostics: Diagnostics) -> None:
        self.include_dirs = tuple(include_dirs)
        self.diagnostics = diagnostics
        self.macros = Macros()
        self.chunks: list[Chunk] = []
        self.files: dict[str, str] = {}
        self.included_at: dict[str, Span] = {}
        self.expanded: dict[Span, str] = {}
        self.libraries: set[str] = set()
        self.depth = 0

    def command_line(self, name: str, body: str) -> None:
        match = _DEFINE.fullmatch(name)
        if match is None or match["body"]:
            self.diagnostics.error("bad-directive", None, f"`-D{name}` does not name a macro")
            return
        self.macros.define(Macro(match["name"], match["parameters"], body))

    def main(self, path: Path) -> Source:
        name = str(path)
        end = Span(name, 1, 1, 1, 1)
        text = read_program(path, self.diagnostics)
        if text is not None:
            self.files[name] = text
            if not text.strip():
                self.diagnostics.error(
                    "empty-input",
                    None,
                    f"`{name}` is empty",
                    help="give a P4_16 program: parser, control and a `main` instance",
                )
            _File(self, name, path.parent, text).run()
            last = text.count("\n") + 1
            column = len(text) - text.rfind("\n")
            end = Span(name, last, column, last, column)
        return Source(
            tuple(self.chunks),
            self.files,
            end,
            self.included_at,
            self.expanded,
            frozenset(self.libraries),
        )


def read_program(path: Path, diagnostics: Diagnostics) -> str | None:
    """Return the text of the main file with `\\n` line ends, or None after an error."""
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        diagnostics.error(
            "no-input",
            None,
            f"cannot read `{path}`: {_reason(error)}",
            help="give the path of a P4_16 source file, such as `prog.p4`",
        )
        return None
    return _decode(str(path), content, diagnostics)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    if isinstance(error, IsADirectoryError):
        return "it is a directory"
    if isinstance(error, PermissionError):
        return "you have no permission to read it"
    return getattr(error, "strerror", None) or str(error)


def _decode(name: str, content: bytes, diagnostics: Diagnostics) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        diagnostics.error(
            "not-utf8",
            _behind(name, content[: error.start].decode("utf-8-sig")),
            f"the byte 0x{content[error.start]:02X} is not UTF-8 text",
            help="save the file as UTF-8",
        )
        text = content.decode("utf-8-sig", errors="replace")
    before, nul, _ = text.partition("\0")
    if nul:
        diagnostics.error(
            "illegal-character",
            _behind(name, before),
            "the character U+0000 cannot stand in a text",
            help="save the file as UTF-8, if it is a program: this may be UTF-16, or no text",
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _behind(file: str, before: str) -> Span:
    """Return the place of the character behind the text `before`."""
    line = before.count("\n") + 1
    column = len(before) - before.rfind("\n")
    return Span(file, line, column, line, column + 1)


class _File:
    """One file on its way through the preprocessor."""

    def __init__(self, owner: _Preprocessor, name: str, directory: Path | None, text: str) -> None:
        self.owner = owner
        self.macros = owner.macros
        self.diagnostics = owner.diagnostics
        self.directory = directory
        self.text = text
        self.file = self.shown = name
        self.has_built_in = "__LINE__" in text or "__FILE__" in text
        self.conditions: list[_Condition] = []
        self.active = True
        self.position = 0
        self.line = 1
        self.counted = 0

    def run(self) -> None:
        while match := self._pattern().search(self.text, self.position):
            if match.lastgroup == "directive":
                self._directive(match)
            elif match.lastgroup == "word" and match["word"] in self.macros:
                self._expansion(match)
            elif match.lastgroup == "word" and match["word"] in ("__LINE__", "__FILE__"):
                self._built_in(match)
            else:
                self._text_to(match.end())
        self._text_to(len(self.text))
        for condition in self.conditions:
            self.error("bad-directive", condition.start, "this `#if` has no `#endif`")

    def _pattern(self) -> re.Pattern[str]:
        if not self.active:
            return _SKIPPED
        return _WORDS if self.macros or self.has_built_in else _PLAIN

    def error(self, code: str, span: Span, text: str, help: str | None = None) -> None:
        notes = self._notes(span)
        self.diagnostics.error(code, span, text, notes=notes, help=help)

    def _notes(self, span: Span) -> tuple[Note, ...]:
        source = Source((), {}, span, self.owner.included_at)
        return source.notes(span)

    # Text

    def _place(self, start: int, end: int) -> Span:
        line = self.line + self.text.count("\n", self.counted, start)
        column = start - self.text.rfind("\n", 0, start)
        return Span(self.shown, line, column, line, column + end - start)

    def _text_to(self, end: int) -> None:
        start = self.position
        if end > start and self.active:
            place = self._place(start, end)
            chunks = self.owner.chunks
            chunks.append(Chunk(self.text[start:end], place.file, place.line, place.column))
        self._skip_to(end)

    def _skip_to(self, end: int) -> None:
        self.line += self.text.count("\n", self.counted, end)
        self.counted = self.position = end

    def _built_in(self, match: re.Match[str]) -> None:
        self._text_to(match.start())
        place = self._place(*match.span())
        text = str(place.line) if match["word"] == "__LINE__" else f'"{place.file}"'
        self._pin(text, place)
        self._skip_to(match.end())

    def _pin(self, text: str, place: Span) -> None:
        self.owner.chunks.append(Chunk(text, place.file, place.line, place.column, place))

    def _expansion(self, match: re.Match[str]) -> None:
        name = match["word"]
        end = match.end()
        if self.macros.takes_arguments(name):
            closing = self._arguments_end(match.end())
            if closing is None:
                self._text_to(match.end())
                return
            end = closing
        self._text_to(match.start())
        place = self._place(match.start(), match.end())
        try:
            text = self.macros.stands_for(name)
            if text is None:
                text = self.macros.expand(self.text[match.start() : end])
        except MacroError as error:
            self.error("bad-macro", place, f"macro `{name}`: {error}")
            text = ""
        self.owner.expanded[place] = text
        self._pin(text, place)
        self._skip_to(end)

    def _arguments_end(self, start: int) -> int | None:
        """Return the place behind the `)` of a macro's arguments; None when there are none."""
        opening = re.compile(rf"(?:\s|{_COMMENT})*\(", re.DOTALL).match(self.text, start)
        if opening is None:
            return None
        depth = 1
        for match in _ARGUMENTS.finditer(self.text, opening.end()):
            if match[0] == "(":
                depth += 1
            elif match[0] == ")":
                depth -= 1
                if depth == 0:
                    return match.end()
            elif match[0].endswith("#") and "\n" not in match[0]:
                return None
        return None

    # Directives

    def _directive(self, match: re.Match[str]) -> None:
        self._text_to(match.start())
        lead = len(match[0]) - len(match[0].lstrip(" \t"))
        first = match[0].split("\n", 1)[0].rstrip()
        place = self._place(match.start() + lead, match.start() + len(first))
        head = _HEAD.match(_directive_text(match[0]))
        assert head is not None
        word, rest = head["word"], head["rest"].strip()
        self._skip_to(match.end())
        if word is None:
            if rest and self.active:
                self.error("bad-directive", place, "`#` must be followed by a directive's name")
        elif word in _CONDITIONALS:
            _CONDITIONALS[word](self, place, rest)
        elif not self.active:
            return
        elif word.isdigit():
            self._line_directive(place, f"{word} {rest}")
        elif word in _DIRECTIVES:
            _DIRECTIVES[word](self, place, rest)
        else:
            self._unknown_directive(place, word)

    def _define_directive(self, place: Span, rest: str) -> None:
        match = _DEFINE.fullmatch(rest)
        if match is None or match["body"][:1] not in (
            "",
            " ",
            "\t",
            *'"-+*/%&|^~()[]{}<>!:,?.=;@#',
        ):
            self.error("bad-directive", place, "`#define` needs the name of a macro")
            return
        try:
            body = match["body"].strip()
            self.macros.define(Macro(match["name"], match["parameters"], body))
        except MacroError as error:
            self.error("bad-macro", place, f"macro `{match['name']}`: {error}")

    def _undef_directive(self, place: Span, rest: str) -> None:
        if not re.fullmatch(r"[A-Za-z_]\w*", rest):
            self.error("bad-directive", place, "`#undef` needs the name of a macro")
            return
        self.macros.undefine(rest)

    def _error_directive(self, place: Span, rest: str) -> None:
        self.error("error-directive", place, rest or "`#error`")

    def _warning_directive(self, place: Span, rest: str) -> None:
        notes = self._notes(place)
        self.diagnostics.warning("warning-directive", place, rest or "`#warning`", notes=notes)

    def _unknown_directive(self, place: Span, word: str) -> None:
        """Leave out the line, as p4c does: some programs have comments that look like this."""
        text = f"there is no directive `#{word}`: the line is left out"
        help = "a comment starts with `//`"
        notes = self._notes(place)
        self.diagnostics.warning("unknown-directive", place, text, notes=notes, help=help)

    def _pragma_directive(self, place: Span, rest: str) -> None:
        """Leave out a `#pragma`: none has a meaning for this compiler."""

    def _line_directive(self, place: Span, rest: str) -> None:
        match = _LINE.match(rest)
        if match is None:
            self.error("bad-directive", place, "`#line` needs a line number")
            return
        self.line = int(match["line"]) - 1
        if match["file"] is not None:
            self.shown = match["file"]

    def _include_directive(self, place: Span, rest: str) -> None:
        match = _INCLUDE.match(rest)
        if match is None and rest:
            match = _INCLUDE.match(self._expanded(place, rest).strip())
        if match is None:
            self.error(
                "bad-directive",
                place,
                "`#include` needs a file name",
                help='write `#include <core.p4>` or `#include "headers.p4"`',
            )
            return
        self._include(place, match["quoted"] or match["angled"], match["quoted"] is not None)

    def _expanded(self, place: Span, text: str) -> str:
        try:
            return self.macros.expand(text)
        except MacroError as error:
            self.error("bad-macro", place, str(error))
            return ""

    def _include(self, place: Span, wanted: str, quoted: bool) -> None:
        owner = self.owner
        if owner.depth >= MOST_NESTED_INCLUDES:
            self.error(
                "include-cycle",
                place,
                f"`{wanted}` includes itself, or too many files",
                help="put the text of an included file between `#ifndef NAME`, `#define NAME` and "
                "`#endif`",
            )
            return
        own = [self.directory] if quoted and self.directory is not None else []
        for directory in [*own, *owner.include_dirs]:
            path = directory / wanted
            try:
                content = path.read_bytes()
            except (OSError, ValueError):
                continue
            if not quoted or self.file in owner.libraries:
                owner.libraries.add(str(path))
            self._enter(place, str(path), path.parent, content)
            return
        ours = Path(__file__).with_name("p4include") / wanted
        if ".." not in Path(wanted).parts and _is_file(ours):
            owner.libraries.add(f"<p4xdp>/{wanted}")
            self._enter(place, f"<p4xdp>/{wanted}", None, ours.read_bytes())
            return
        self._missing(place, wanted, [str(d) for d in (*own, *owner.include_dirs)])

    def _enter(self, place: Span, name: str, directory: Path | None, content: bytes) -> None:
        owner = self.owner
        owner.included_at.setdefault(name, place)
        if name not in owner.files:
            owner.files[name] = _decode(name, content, self.diagnostics)
        owner.depth += 1
        _File(owner, name, directory, owner.files[name]).run()
        owner.depth -= 1
        owner.chunks.append(Chunk("\n", name, 1, 1))

    def _missing(self, place: Span, wanted: str, searched: list[str]) -> None:
        places = ", ".join(f"`{name or '.'}`" for name in searched)
        where = f"in {places} and " if places else ""
        self.error(
            "missing-include",
            place,
            f"the file `{wanted}` is not found",
            help=f"searched {where}among the files of p4xdp; add its directory with `-I DIR`",
        )

    # Conditions

    def _open(self, place: Span, holds: bool) -> None:
        self.conditions.append(_Condition(place, holds, holds, self.active))
        self.active = self.active and holds

    def _if_directive(self, place: Span, rest: str) -> None:
        self._open(place, self.active and self._holds(place, rest, "if"))

    def _ifdef_directive(self, place: Span, rest: str) -> None:
        self._open(place, self._is_defined(place, rest, "ifdef"))

    def _ifndef_directive(self, place: Span, rest: str) -> None:
        self._open(place, not self._is_defined(place, rest, "ifndef"))

    def _is_defined(self, place: Span, rest: str, word: str) -> bool:
        name = rest.split(maxsplit=1)[0] if rest else ""
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            self.error("bad-directive", place, f"`#{word}` needs the name of a macro")
        return name in self.macros

    def _holds(self, place: Span, condition: str, word: str) -> bool:
        if not condition:
            self.error("bad-directive", place, f"`#{word}` needs an expression")
            return False
        try:
            return self.macros.holds(condition)
        except MacroError as error:
            self.error("bad-directive", place, f"`#{word} {condition}`: {error}")
            return False

    def _current(self, place: Span, word: str) -> _Condition | None:
        if not self.conditions:
            self.error("bad-directive", place, f"`#{word}` without an `#if` before it")
            return None
        condition = self.conditions[-1]
        if condition.in_else and word != "endif":
            self.error("bad-directive", place, f"`#{word}` behind the `#else` of the same `#if`")
            return None
        return condition

    def _elif_directive(self, place: Span, rest: str) -> None:
        condition = self._current(place, "elif")
        if condition is None:
            return
        open_still = condition.possible and not condition.taken
        condition.active = open_still and self._holds(place, rest, "elif")
        condition.taken = condition.taken or condition.active
        self.active = condition.active

    def _else_directive(self, place: Span, rest: str) -> None:
        condition = self._current(place, "else")
        if condition is None:
            return
        condition.in_else = True
        condition.active = condition.possible and not condition.taken
        self.active = condition.active

    def _endif_directive(self, place: Span, rest: str) -> None:
        condition = self._current(place, "endif")
        if condition is not None:
            self.conditions.pop()
            self.active = condition.possible


_CONDITIONALS = {
    "if": _File._if_directive,
    "ifdef": _File._ifdef_directive,
    "ifndef": _File._ifndef_directive,
    "elif": _File._elif_directive,
    "else": _File._else_directive,
    "endif": _File._endif_directive,
}
_DIRECTIVES = {
    "define": _File._define_directive,
    "undef": _File._undef_directive,
    "include": _File._include_directive,
    "error": _File._error_directive,
    "warning": _File._warning_directive,
    "pragma": _File._pragma_directive,
    "line": _File._line_directive,
}


def _directive_text(text: str) -> str:
    """Return a directive without comments, on one line."""

    def plain(match: re.Match[str]) -> str:
        if match.lastgroup == "string":
            return match[0]
        return "" if match[0] == "\\\n" else " "

    return _IN_DIRECTIVE.sub(plain, text)
