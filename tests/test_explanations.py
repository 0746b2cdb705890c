"""Each example of `p4xdp explain` gets its code, and its mended form is accepted."""

from __future__ import annotations

from pathlib import Path

import pytest

from p4xdp.cli import main
from p4xdp.codes import CODES, WARNINGS
from p4xdp.diagnostics import CompileError, Severity
from p4xdp.driver import Session, check
from p4xdp.explanations import HERE, explanation
from p4xdp.options import Options

SHOWN = sorted(path.stem for path in HERE.glob("*.p4"))


def codes_of(path: Path, *flags: str) -> list[tuple[Severity, str]]:
    session = Session(path, Options(warnings=flags))
    try:
        check(session)
        found = session.diagnostics.found
    except CompileError as error:
        found = list(error.diagnostics)
    return [(d.severity, d.code) for d in found]


@pytest.mark.parametrize("code", SHOWN)
def test_example(tmp_path: Path, code: str) -> None:
    assert code in CODES
    program, shown = tmp_path / "a.p4", explanation(code)
    flags = () if code in WARNINGS else ("no-all",)
    program.write_text(shown.failing)
    severity = Severity.WARNING if code in WARNINGS else Severity.ERROR
    assert codes_of(program, *flags) == [(severity, code)]
    program.write_text(shown.mended)
    assert codes_of(program) == []


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
