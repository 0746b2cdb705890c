"""Every test file on every place: tests/stf/ and examples/.

`a.p4` is tested by `a.stf` and by every `a_*.stf` for which there is no program of its own. The
programs in tests/stf/later/ are run by the interpreter but not compiled yet: one that passes
everywhere has to move up. `a.c` beside `a.p4` has its extern functions. Some are run at -O0 as
well; all of them with P4XDP_O0=all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from p4xdp.diagnostics import CompileError, render
from p4xdp.midend.pipeline import OPTIONAL
from p4xdp.options import Options
from p4xdp.report import SourceTexts
from p4xdp.stf.place import PlaceOptions
from p4xdp.stf.places import PLACES, CaseResult
from p4xdp.stf.runner import run_case

ROOT = Path(__file__).parent.parent
DIRECTORIES = (ROOT / "examples", ROOT / "tests" / "stf")
SHARE_AT_O0 = 16
"""One test file of so many is run without the passes that only make a program better, too."""

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


def cases_without_passes() -> Iterator[pytest.ParameterSet]:
    """Yield every test file when $P4XDP_O0 is `all`, else a few of each directory."""
    every = 1 if os.environ.get("P4XDP_O0") == "all" else SHARE_AT_O0
    files = [stf for stf in all_test_files() if stf.parent.name != "later"]
    for stf in files[::every]:
        for place in ("native", "kernel"):
            name = stf.relative_to(ROOT).with_suffix("")
            marks = [MARKS[place]] if place in MARKS else []
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
    monkeypatch.setenv("P4XDP_CFLAGS", "-Wextra -Werror")
    _check(stf, place, build_dir, require_place, frozenset())


@pytest.mark.parametrize(("stf", "place"), list(cases_without_passes()))
def test_case_at_o0(
    stf: Path, place: str, build_dir: Path, require_place: Callable[[str, CaseResult], None]
) -> None:
    _check(stf, place, build_dir, require_place, frozenset(OPTIONAL))


def _check(
    stf: Path,
    place: str,
    build_dir: Path,
    require_place: Callable[[str, CaseResult], None],
    without: frozenset[str],
) -> None:
    program = program_of(stf)
    assert program is not None
    externs = tuple(path for path in (program.with_suffix(".c"),) if path.exists())
    compile_options = Options(include_dirs=(program.parent,), without=without, externs=externs)
    try:
        result = run_case(program, stf, place, PlaceOptions(compile_options, build_dir))
    except CompileError as error:
        pytest.fail("\n".join(render(d, SourceTexts()) for d in error.diagnostics))
    if result.limited:
        return
    if externs and place == "interp":
        assert "one in C runs on native, kernel and veth" in result.failures[0]
        return
    require_place(place, result)
    assert result.passed, "\n".join(result.failures)
