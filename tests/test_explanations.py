"""Each example of `p4xdp explain` gets its code, and its mended form is accepted."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from p4xdp.cli import main, parse_arguments
from p4xdp.codes import CODES, WARNINGS
from p4xdp.diagnostics import CompileError, Severity, render
from p4xdp.driver import Session, check, compile
from p4xdp.explanations import HERE, PROGRAM, explanation
from p4xdp.options import Options
from p4xdp.report import SourceTexts
from p4xdp.stf.place import PlaceOptions
from p4xdp.stf.runner import run_case

PROGRAMS = sorted(path.stem for path in HERE.glob("*.p4"))
STATEMENTS = sorted(path.stem for path in HERE.glob("*.stf"))
COMMANDS = sorted(path.stem for path in HERE.glob("*.sh"))


CHECKED_ONLY = ("bad-main", "bad-tie")
"""Codes whose examples are no programs for an architecture that is compiled in full."""


def codes_of(code: str, path: Path, *flags: str) -> list[tuple[Severity, str]]:
    session = Session(path, Options(warnings=flags))
    try:
        typed = check(session)
        if code not in CHECKED_ONLY and (typed.main is not None or code == "no-main"):
            session = Session(path, Options(warnings=flags))
            compile(session)
        found = session.diagnostics.found
    except CompileError as error:
        found = list(error.diagnostics)
    return [(d.severity, d.code) for d in found]


def test_an_example_is_there_once() -> None:
    every = [*PROGRAMS, *STATEMENTS, *COMMANDS]
    assert sorted(set(every)) == sorted(every)
    assert set(every) <= set(CODES)


@pytest.mark.parametrize("code", PROGRAMS)
def test_example(tmp_path: Path, code: str) -> None:
    program, shown = tmp_path / "a.p4", explanation(code)
    flags = () if code in WARNINGS else ("no-all",)
    program.write_text(shown.failing)
    severity = Severity.WARNING if code in WARNINGS else Severity.ERROR
    assert codes_of(code, program, *flags) == [(severity, code)]
    program.write_text(shown.mended)
    assert codes_of(code, program) == []


@pytest.mark.parametrize("code", STATEMENTS)
def test_example_of_statements(tmp_path: Path, code: str) -> None:
    program, shown = tmp_path / "a.p4", explanation(code)
    program.write_text(shown.program)
    assert f"error[{code}]" in failure_of(program, shown.failing)
    assert failure_of(program, shown.mended) == ""


def failure_of(program: Path, statements: str) -> str:
    """Run a test file in the interpreter; return what goes wrong."""
    stf = program.with_suffix(".stf")
    stf.write_text(statements)
    options = PlaceOptions(Options(), program.parent)
    try:
        return "\n".join(run_case(program, stf, "interp", options).failures)
    except CompileError as error:
        return "\n".join(render(diagnostic, SourceTexts()) for diagnostic in error.diagnostics)


@pytest.mark.parametrize("code", COMMANDS)
def test_example_of_commands(
    tmp_path: Path, code: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands that need no device are run; the others must at least be commands."""
    (tmp_path / "router.p4").write_text(PROGRAM.read_text())
    monkeypatch.chdir(tmp_path)
    shown = explanation(code)
    for text, status in ((shown.failing, 1), (shown.mended, 0)):
        for line in text.splitlines():
            name, *arguments = shlex.split(line)
            if name == "mkdir":
                Path(*arguments).mkdir()
            if name != "p4xdp":
                continue
            if arguments[0] in ("load", "status", "replay"):
                assert parse_arguments(arguments)
                continue
            assert main(arguments) == status
            assert (f"error[{code}]" in capsys.readouterr().err) == bool(status)


def test_explain_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "syntax"]) == 0
    text = capsys.readouterr().out
    assert "    const bit<8> N = 1\n" in text
    assert "    const bit<8> N = 1;\n" in text


def test_explain_a_warning_and_a_code_without_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "unused"]) == 0
    assert "-Wno-unused" in capsys.readouterr().out
    assert main(["explain", "no-rights"]) == 0
    assert CODES["no-rights"] in capsys.readouterr().out


def test_explain_lists_every_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == sorted(CODES)


def test_explain_an_unknown_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "sintax"]) == 1
    error = capsys.readouterr().err
    assert "error[no-code]: there is no error or warning `sintax`" in error
    assert "did you mean `syntax`?" in error
