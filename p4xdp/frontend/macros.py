"""Preprocessor macros: the table of them, their expansion and `#if` expressions.

pcpp does the work of a C preprocessor here. It is loaded only when a macro needs it: a macro that
takes no arguments and names no other macro simply stands for its text.
"""

from __future__ import annotations

import operator
import re
from typing import Any

from p4xdp.records import dataclass

_WORD = re.compile(r"[0-9][A-Za-z0-9_]*|\"(?:\\.|[^\"\\])*\"|([A-Za-z_][A-Za-z0-9_]*)")
_DEFINED = re.compile(r"\s*(!?)\s*defined\s*(?:\(\s*(\w+)\s*\)|(\w+))\s*\Z")
_COMPARISON = re.compile(r"\s*(\w+)\s*(==|!=|<=|>=|<|>)\s*(\w+)\s*\Z")
_NAME = r"[A-Za-z_]\w*\s*"
_PARAMETERS = re.compile(rf"\s*(?:{_NAME}(?:,\s*{_NAME})*(?:,\s*\.\.\.\s*)?|\.\.\.\s*)?")
_PLAIN_NUMBER = re.compile(r"0|[1-9][0-9]*|0[xX][0-9a-fA-F]+")
_COMPARE = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


class MacroError(Exception):
    """A macro or an expression that makes no sense; the text says why."""


@dataclass(frozen=True, slots=True)
class Macro:
    """`name` as defined; `parameters` is the text in parentheses, None without them."""

    name: str
    parameters: str | None
    body: str


class Macros:
    """The macros in force."""

    def __init__(self) -> None:
        self._macros: dict[str, Macro] = {}
        self._engine: Any = None

    def __contains__(self, name: str) -> bool:
        return name in self._macros

    def __len__(self) -> int:
        return len(self._macros)

    def define(self, macro: Macro) -> None:
        """Add a macro, in place of one of the same name; raise MacroError when it is malformed."""
        if macro.parameters is not None and not _PARAMETERS.fullmatch(macro.parameters):
            raise MacroError("its parameters are not a list of names")
        self._macros[macro.name] = macro
        if self._engine is not None:
            _define(self._engine, macro)

    def undefine(self, name: str) -> None:
        self._macros.pop(name, None)
        if self._engine is not None:
            self._engine.macros.pop(name, None)

    def takes_arguments(self, name: str) -> bool:
        return self._macros[name].parameters is not None

    def stands_for(self, name: str) -> str | None:
        """Return the text of a macro that needs no further expansion, else None."""
        macro = self._macros[name]
        if macro.parameters is not None or "##" in macro.body:
            return None
        words = (match[1] for match in _WORD.finditer(macro.body))
        return None if any(word in self._macros for word in words) else macro.body

    def expand(self, text: str) -> str:
        """Return `text` with every macro in it expanded."""
        engine = self._loaded()
        expanded = engine.expand_macros(engine.tokenize(text))
        parts: list[str] = []
        before: list[str] | None = None
        for token in expanded:
            origin = getattr(token, "expanded_from", [])
            if before is not None and origin != before:
                parts.append(" ")
            parts.append(str(token.value))
            before = origin
        return "".join(parts)

    def holds(self, condition: str) -> bool:
        """Return whether an `#if` expression is true; raise MacroError when it cannot be read."""
        if match := _DEFINED.match(condition):
            return ((match[2] or match[3]) in self._macros) != bool(match[1])
        if (known := self._compared(condition)) is not None:
            return known
        engine = self._loaded()
        value, _ = engine.evalexpr(engine.tokenize(condition))
        return bool(value)

    def _compared(self, condition: str) -> bool | None:
        """Return what a comparison of two plain numbers gives; None when it is something else."""
        match = _COMPARISON.match(condition)
        if match is None:
            return None
        left, right = self._plain_number(match[1]), self._plain_number(match[3])
        if left is None or right is None:
            return None
        return bool(_COMPARE[match[2]](left, right))

    def _plain_number(self, word: str) -> int | None:
        if word in self._macros:
            word = self._macros[word].body if not self.takes_arguments(word) else ""
        elif not word[0].isdigit():
            return 0
        return int(word, 0) if _PLAIN_NUMBER.fullmatch(word) else None

    def _loaded(self) -> Any:
        if self._engine is None:
            self._engine = _engine()
            for macro in self._macros.values():
                _define(self._engine, macro)
        return self._engine


def _engine() -> Any:
    import pcpp

    class Engine(pcpp.Preprocessor):  # type: ignore[misc, name-defined]
        def on_error(self, file: str, line: int, msg: str) -> None:
            """Turn pcpp's messages, which have no place of ours, into MacroError."""
            raise MacroError(_plain(msg))

    engine = Engine()
    engine.macros.clear()
    return engine


def _define(engine: Any, macro: Macro) -> None:
    parameters = "" if macro.parameters is None else f"({macro.parameters})"
    engine.define(f"{macro.name}{parameters} {macro.body}")


def _plain(message: str) -> str:
    """Return pcpp's message without the Python exception in it."""
    if message.startswith("Could not evaluate expression"):
        return "the expression cannot be evaluated"
    return message[:1].lower() + message[1:]
