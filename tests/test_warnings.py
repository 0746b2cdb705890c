"""Warnings: each is found where it must be, and nowhere else, and its name turns it off.

A program in tests/warnings/ says in comments, as those of tests/errors/, what `check` must find.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from test_errors import expected_of

from p4xdp.cli import main
from p4xdp.codes import WARNINGS
from p4xdp.diagnostics import CompileError, Diagnostic, Severity
from p4xdp.driver import Session, check
from p4xdp.options import Options

PROGRAMS = sorted((Path(__file__).parent / "warnings").glob("*.p4"))
UNUSED = "control C() {\n    bit<8> x;\n    apply { }\n}\n"


def found_in(path: Path, *flags: str) -> list[Diagnostic]:
    session = Session(path, Options(warnings=flags))
    check(session)
    return session.diagnostics.found


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_program_gets_the_warnings_that_it_says(path: Path) -> None:
    expected = expected_of(path.read_text())
    found = found_in(path)
    shown = [(d.code, f"{d.span.line}:{d.span.column}") for d in found if d.span]
    assert shown == [(e.code, e.place) for e in expected], [(str(d.span), d.text) for d in found]
    for want, got in zip(expected, found, strict=True):
        assert got.severity is Severity.WARNING
        assert got.text.startswith(want.text)
        assert (got.help or "").startswith(want.help)


def test_every_name_has_a_program_or_another_test() -> None:
    named = {e.code for path in PROGRAMS for e in expected_of(path.read_text())}
    elsewhere = {
        "include-dir",
        "no-queues",
        "table-size",
        "unknown-directive",
        "unknown-property",
        "unreachable-entry",
        "warning-directive",
    }
    assert WARNINGS - named == elsewhere


@pytest.mark.parametrize(
    ("flags", "count"),
    [
        ((), 1),
        (("no-unused",), 0),
        (("no-shadow",), 1),
        (("no-all",), 0),
        (("no-all", "unused"), 1),
        (("unused", "no-unused"), 0),
    ],
)
def test_flags(tmp_path: Path, flags: tuple[str, ...], count: int) -> None:
    program = tmp_path / "a.p4"
    program.write_text(UNUSED)
    assert len(found_in(program, *flags)) == count


@pytest.mark.parametrize("flags", [("error",), ("error=unused",), ("no-unused", "error=unused")])
def test_warning_as_an_error(tmp_path: Path, flags: tuple[str, ...]) -> None:
    program = tmp_path / "a.p4"
    program.write_text(UNUSED)
    with pytest.raises(CompileError) as error:
        found_in(program, *flags)
    assert [(d.severity, d.code) for d in error.value.diagnostics] == [(Severity.ERROR, "unused")]


@pytest.mark.parametrize(
    "flags", [("error=shadow",), ("error", "no-unused"), ("error", "no-error")]
)
def test_warning_that_stays_one(tmp_path: Path, flags: tuple[str, ...]) -> None:
    program = tmp_path / "a.p4"
    program.write_text(UNUSED)
    assert all(d.severity is Severity.WARNING for d in found_in(program, *flags))


def test_library_files_do_not_warn(tmp_path: Path) -> None:
    (tmp_path / "lib.p4").write_text(UNUSED)
    (tmp_path / "own.p4").write_text(UNUSED.replace("C", "D"))
    program = tmp_path / "a.p4"
    program.write_text('#include <lib.p4>\n#include "own.p4"\n')
    session = Session(program, Options(include_dirs=(tmp_path,)))
    check(session)
    assert [Path(d.span.file).name for d in session.diagnostics.found if d.span] == ["own.p4"]


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "a.p4"
    program.write_text(UNUSED)
    assert main(["check", str(program)]) == 0
    assert "warning[unused]: the variable `x` is never used" in capsys.readouterr().err
    assert main(["check", "-Wno-unused", str(program)]) == 0
    assert capsys.readouterr().err == ""
    assert main(["check", "-Werror", str(program)]) == 1
    assert "error[unused]" in capsys.readouterr().err
    with pytest.raises(SystemExit) as exit:
        main(["check", "-Wunsued", str(program)])
    assert exit.value.code == 2
    assert "there is no warning `unsued`" in capsys.readouterr().err
