"""Every diagnostic has a program that gets it.

A program in tests/errors/ says in comments what it must get, in order, and nothing else:

    // expect: code @ line:column: first words of the message     (`-`: it has no place)
    // expect-help: first words of the help of the diagnostic before it
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from p4xdp.deep import call_deep
from p4xdp.diagnostics import CompileError, Diagnostic
from p4xdp.driver import Session, compile
from p4xdp.options import Options

ERRORS = Path(__file__).parent / "errors"
PROGRAMS = sorted(ERRORS.rglob("*.p4"))
EXPECT = re.compile(r"// expect: (\S+) @ (-|\d+:\d+): (.*)")
EXPECT_HELP = re.compile(r"// expect-help: (.*)")


@dataclass(frozen=True)
class Expected:
    code: str
    place: str
    text: str
    help: str = ""


def expected_of(text: str) -> list[Expected]:
    found: list[Expected] = []
    for line in text.splitlines():
        if match := EXPECT.search(line):
            code, place, words = match.groups()
            found.append(Expected(code, place, words.strip()))
        elif match := EXPECT_HELP.search(line):
            last = found.pop()
            found.append(Expected(last.code, last.place, last.text, match.group(1).strip()))
    return found


def diagnostics_of(path: Path) -> tuple[Diagnostic, ...]:
    session = Session(path, Options(warnings=("no-unused",)))
    try:
        call_deep(lambda: compile(session))
    except CompileError as error:
        return error.diagnostics
    return tuple(session.diagnostics.found)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: str(p.relative_to(ERRORS)))
def test_program_gets_what_it_says(path: Path) -> None:
    expected = expected_of(path.read_text(encoding="utf-8", errors="replace"))
    found = diagnostics_of(path)
    assert expected, "the program says nothing of what it expects"
    shown = [(d.code, f"{d.span.line}:{d.span.column}" if d.span else "-") for d in found]
    assert shown == [(e.code, e.place) for e in expected], [d.text for d in found]
    for want, got in zip(expected, found, strict=True):
        assert got.text.startswith(want.text)
        assert (got.help or "").startswith(want.help)
