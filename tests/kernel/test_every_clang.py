"""Programs that are hard on compiler and verifier load however new the clang is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from p4xdp.options import Options
from p4xdp.stf.place import PlaceOptions
from p4xdp.stf.runner import run_case

pytestmark = pytest.mark.kernel

TESTS = Path(__file__).parent.parent
PROGRAMS = (
    TESTS.parent / "examples" / "acl.p4",
    TESTS.parent / "examples" / "mpls.p4",
    TESTS / "stf" / "cases" / "case115_stack.p4",
    TESTS / "stf" / "constructs" / "varbit_options.p4",
    TESTS / "stf" / "rules" / "fault14_many_masks.p4",
)
CLANGS = [name for n in range(11, 22) if shutil.which(name := f"clang-{n}")] or ["clang"]


@pytest.mark.parametrize("clang", CLANGS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_loads(program: Path, clang: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("P4XDP_CLANG", clang)
    options = PlaceOptions(Options(include_dirs=(program.parent,)), tmp_path)
    result = run_case(program, program.with_suffix(".stf"), "kernel", options)
    if result.skipped is not None:
        pytest.skip(result.skipped)
    assert not result.failures
