"""Every test file on every place: tests/stf/ and examples/.

`a.p4` is tested by `a.stf` and by every `a_*.stf` for which there is no program of its own. The
programs in tests/stf/later/ are run by the interpreter but not compiled yet: one that passes
everywhere has to move up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from p4xdp.diagnostics import CompileError, render
from p4xdp.options import Options
from p4xdp.report import SourceTexts
from p4xdp.stf.place import PlaceOptions
from p4xdp.stf.places import PLACES, CaseResult
from p4xdp.stf.runner import run_case

ROOT = Path(__file__).parent.parent
DIRECTORIES = (ROOT / "examples", ROOT / "tests" / "stf")
MARKS = {"kernel": pytest.mark.kernel, "veth": pytest.mark.veth}


def program_of(stf: Path) -> Path | None:
    """Return the program beside a test file whose name is the longest start of its own."""
    stem = stf.stem
    while stem:
        program = stf.with_name(f"{stem}.p4")
        if program.exists():
            return program
        stem = stem.rpartition("_")[0]
    return None


def all_test_files() -> list[Path]:
    return sorted(p for directory in DIRECTORIES for p in directory.rglob("*.stf"))


def programs() -> set[Path]:
    return {
        p
        for directory in DIRECTORIES
        for p in directory.rglob("*.p4")
        if p.parent.name != "include"
    }


def cases() -> Iterator[pytest.ParameterSet]:
    for stf in all_test_files():
        name = stf.relative_to(ROOT).with_suffix("")
        for place in PLACES:
            marks = [MARKS[place]] if place in MARKS else []
            if stf.parent.name == "later" and place != "interp":
                marks.append(pytest.mark.xfail(reason="not compiled yet", strict=True))
            yield pytest.param(stf, place, marks=marks, id=f"{name}-{place}")


def test_every_program_has_a_test_file_and_every_test_file_a_program() -> None:
    found = {stf: program_of(stf) for stf in all_test_files()}
    assert [stf for stf, program in found.items() if program is None] == []
    assert programs() - set(found.values()) == set()


@pytest.mark.parametrize(("stf", "place"), list(cases()))
def test_case(
    stf: Path,
    place: str,
    build_dir: Path,
    require_place: Callable[[str, CaseResult], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = program_of(stf)
    assert program is not None
    monkeypatch.setenv("P4XDP_CFLAGS", "-Wextra -Werror")
    options = PlaceOptions(Options(include_dirs=(program.parent,)), build_dir)
    try:
        result = run_case(program, stf, place, options)
    except CompileError as error:
        pytest.fail("\n".join(render(d, SourceTexts()) for d in error.diagnostics))
    if result.limited:
        return
    require_place(place, result)
    assert result.passed, "\n".join(result.failures)
