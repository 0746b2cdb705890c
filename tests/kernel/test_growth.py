"""Large programs load, on the rung of the ladder that they take and on every higher one."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from sandbox import Made, Namespace, attached_id, map_is_gone, program_is_gone, put

from p4xdp.backend_c import ladder
from p4xdp.backend_c.ladder import SCRATCH, SUBPROGRAMS, TAIL_CALLS, above
from p4xdp.diagnostics import CompileError
from p4xdp.driver import Session, compile
from p4xdp.midend.pipeline import OPTIONAL
from p4xdp.options import Options
from p4xdp.runtime import build, clang, load, status
from p4xdp.runtime.libbpf import BpfMap
from p4xdp.stf.place import PlaceOptions
from p4xdp.stf.runner import run_case

BENCH = Path(__file__).parent.parent.parent / "bench"
sys.path.insert(0, str(BENCH))

from grow import write  # noqa: E402
from growth import FAMILIES, Growth  # noqa: E402

PROGRAMS = {g.name: g for family in FAMILIES for g in map(family.write, family.sizes)}
LARGEST = ("headers40", "tables60", "depth40", "stack30")
SMALL = ("headers5", "headers10", "tables5", "tables20", "depth10", "stack4", "stack10")
RUNGS = {
    "headers5": "stack",
    "tables20": "stack",
    "headers20": SCRATCH,
    "stack30": SCRATCH,
    "tables60": TAIL_CALLS,
}


def passes(program: Growth, directory: Path, place: str, options: Options) -> None:
    path = write(program, directory)
    result = run_case(path, path.with_suffix(".stf"), place, PlaceOptions(options))
    if result.skipped:
        pytest.skip(result.skipped)
    assert not result.failures


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_interpreter_agrees_with_the_tests(name: str, tmp_path: Path) -> None:
    passes(PROGRAMS[name], tmp_path, "interp", Options())


@pytest.mark.parametrize("place", ["native", "kernel"])
@pytest.mark.parametrize("name", SMALL)
def test_a_growing_program_passes_its_tests(name: str, place: str, tmp_path: Path) -> None:
    passes(PROGRAMS[name], tmp_path, place, Options())


@pytest.mark.parametrize("name", ["headers20", "tables60", "stack10"])
def test_a_growing_program_passes_without_optimizations(name: str, tmp_path: Path) -> None:
    passes(PROGRAMS[name], tmp_path, "kernel", Options(without=frozenset(OPTIONAL)))


@pytest.mark.parametrize("rung", above("stack"))
@pytest.mark.parametrize("name", ["headers10", "tables5", "depth10", "stack4"])
def test_every_rung_does_the_same(name: str, rung: str, tmp_path: Path) -> None:
    passes(PROGRAMS[name], tmp_path, "kernel", Options(layout=rung))


@pytest.mark.parametrize("rung", above("stack"))
@pytest.mark.parametrize("name", ["tables5", "stack4"])
def test_every_rung_does_the_same_natively(name: str, rung: str, tmp_path: Path) -> None:
    passes(PROGRAMS[name], tmp_path, "native", Options(layout=rung))


@pytest.mark.parametrize("version", ["14", "16", "19"])
@pytest.mark.parametrize("name", LARGEST)
def test_the_largest_load_with_each_clang(
    name: str, version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = shutil.which(f"clang-{version}")
    if found is None or not clang.has_bpf(Path(found)):
        pytest.skip(f"no clang-{version}")
    monkeypatch.setenv("P4XDP_CLANG", found)
    passes(PROGRAMS[name], tmp_path, "kernel", Options())


@pytest.mark.parametrize("name", RUNGS)
def test_a_program_takes_its_rung_by_itself(name: str, tmp_path: Path) -> None:
    output = compile(Session(write(PROGRAMS[name], tmp_path), Options()))
    description = output.description
    assert description.layout == RUNGS[name]
    assert bool(description.layout_reason) == (description.layout != "stack")
    assert bool(description.parts) == (description.layout == TAIL_CALLS)
    assert output.summary.endswith(description.layout_line)


def test_a_build_climbs_when_the_verifier_says_no(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ladder, "_needed", lambda maps, size: (None, ""))
    path = write(PROGRAMS["tables60"], tmp_path)
    description = build.build_program(path, Options(), verify=True).output.description
    assert description.layout == TAIL_CALLS
    reason = "subprograms: The total number of maps per program has reached the limit of 64"
    assert description.layout_reason == reason
    with pytest.raises(CompileError, match="also with layout `subprograms`"):
        build.build_program(path, Options(layout=SUBPROGRAMS), verify=True)


def test_tail_called_parts_stay_loaded_as_long_as_the_program(
    tmp_path: Path, namespace: Namespace
) -> None:
    path = write(PROGRAMS["tables5"], tmp_path)
    built = build.build_program(path, Options(layout=TAIL_CALLS))
    object = path.with_suffix(".o")
    object.write_bytes(built.object)
    loaded = put(Made(object, built.output.description))
    (shown,) = status.status("va").programs
    assert shown.layout == "layout tail-calls in 2 parts (as asked)"
    with BpfMap.pinned(loaded.path / "parts") as parts:
        (part,) = (int.from_bytes(value, "little") for _, value in parts.items())
        number = parts.info.id
    assert part != attached_id() == loaded.program_id
    load.unload("va")
    assert all(map(program_is_gone, (part, loaded.program_id)))
    assert map_is_gone(number)
