"""What does not fit: programs nested too deep, objects too big for every layout."""

from __future__ import annotations

from pathlib import Path

import pytest

from p4xdp import deep
from p4xdp.backend_c import ladder, variables
from p4xdp.cli import parse_arguments
from p4xdp.commands import build_command
from p4xdp.diagnostics import CompileError
from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.runtime import build, clang

XDP1 = Path(__file__).parent.parent / "examples" / "xdp1.p4"
NAT = XDP1.with_name("nat.p4")


def code_of(error: pytest.ExceptionInfo[CompileError]) -> str:
    [diagnostic] = error.value.diagnostics
    return diagnostic.code


def test_recursion_without_end_is_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deep, "RECURSION_LIMIT", 5000)

    def again(depth: int) -> int:
        return again(depth + 1) + 1

    with pytest.raises(CompileError) as error:
        deep.call_deep(lambda: again(0))
    assert code_of(error) == "nested-too-deep"


def test_call_deep_goes_deeper_than_python_does_by_itself() -> None:
    def nested(depth: int) -> int:
        return nested(depth - 1) + 1 if depth else 0

    assert deep.call_deep(lambda: nested(50_000)) == 50_000


def test_an_object_too_big_for_every_layout_climbs_and_then_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = []

    def refuse(source: Path, *_: object, **__: object) -> clang.Built:
        tried.append(source.read_text())
        raise clang.TooBig("size", "a jump is longer than an instruction can say")

    monkeypatch.setattr(clang, "build", refuse)
    with pytest.raises(CompileError) as error:
        build.build_program(NAT, Options())
    assert code_of(error) == "program-too-large"
    assert len(tried) == len(ladder.LADDER)
    assert len(set(tried)) == len(tried)


def test_a_layout_that_was_asked_for_is_not_left(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> clang.Built:
        raise clang.TooBig("stack", "the stack of 512 bytes is exceeded")

    monkeypatch.setattr(clang, "build", refuse)
    with pytest.raises(CompileError, match="layout `stack`") as error:
        build.build_program(XDP1, Options(layout="stack"))
    assert code_of(error) == "program-too-large"


def test_build_makes_no_native_object() -> None:
    arguments = parse_arguments(["build", "--target", "native", str(XDP1)])
    with pytest.raises(CompileError) as error:
        build_command(arguments)
    assert code_of(error) == "bad-target"


def test_variables_that_fit_no_layout_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variables, "SCRATCH_LIMIT", 16)
    session = Session(NAT, Options(layout="scratch"))
    with pytest.raises(CompileError, match="at most 16 fit") as error:
        compile(session)
    assert code_of(error) == "stack-too-large"
    assert error.value.diagnostics[0].notes
