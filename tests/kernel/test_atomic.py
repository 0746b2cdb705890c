"""@atomic on several CPUs at a time: no packet undoes what another one did."""

from __future__ import annotations

import os
import threading
from itertools import product
from pathlib import Path

import pytest

from p4xdp.backend_c.ladder import LADDER, TAIL_CALLS
from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.runtime import clang
from p4xdp.runtime.libbpf import BpfObject, BpfProgram
from p4xdp.stf.place import PlaceOptions
from p4xdp.stf.runner import run_case

pytestmark = pytest.mark.kernel

STF = Path(__file__).parents[1] / "stf" / "v1model"
PROGRAM = STF / "atomic.p4"
LARGE = bytes((8,)) + bytes(15)
"""A packet that adds one to both words of a cell of 128 bits."""

TURNS = 200_000
ABORTED = 0


def run_on(cpu: int, program: BpfProgram, packet: bytes, ready: threading.Barrier) -> None:
    os.sched_setaffinity(0, {cpu})
    ready.wait()
    program.test_run(packet, repeat=TURNS)


def run_at_a_time(program: BpfProgram, packet: bytes) -> int:
    """Run a program on two CPUs at a time; return how often."""
    cpus = sorted(os.sched_getaffinity(0))[:2]
    if len(cpus) < 2:
        pytest.skip("there is one CPU only")
    ready = threading.Barrier(len(cpus))
    given = [(one, program, packet, ready) for one in cpus]
    threads = [threading.Thread(target=run_on, args=one) for one in given]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(cpus) * TURNS


@pytest.mark.parametrize("cpu", ["v1", "v3"])
def test_no_update_is_lost(cpu: str, tmp_path: Path) -> None:
    path = tmp_path / "atomic.c"
    path.write_text(compile(Session(PROGRAM, Options())).c)
    made = clang.build(path, path.with_suffix(".o"), cpu=cpu)
    with BpfObject(made.object) as loaded:
        loaded.load()
        turns = run_at_a_time(loaded.program(), LARGE)
        cell = loaded.map("wide").lookup(bytes(4))
    assert cell == turns.to_bytes(8, "big") * 2


def test_no_update_is_lost_over_a_tail_call(tmp_path: Path) -> None:
    """One pass adds to cells of `first` before and behind a tail call."""
    with BpfObject(large(tmp_path)) as loaded:
        loaded.load()
        turns = run_at_a_time(loaded.program("atomic_large"), bytes(18))
        first = loaded.map("first_")
        for cell, times in enumerate((2, 1, 1, 0)):
            assert first.lookup(cell.to_bytes(4, "little")) == bytes((turns * times % 256,))


def large(directory: Path) -> bytes:
    """Return atomic_large.p4, cut into tail calls: part 1 takes the lock, part 2 releases it."""
    path = directory / "large.c"
    options = Options(include_dirs=(STF,), layout=TAIL_CALLS)
    path.write_text(compile(Session(STF / "atomic_large.p4", options)).c)
    return clang.build(path, path.with_suffix(".o")).object


@pytest.mark.parametrize(
    ("name", "layout", "place"),
    list(product(("atomic", "atomic_nested", "atomic_large"), LADDER, ("native", "kernel"))),
)
def test_every_layout_has_a_lock(name: str, layout: str, place: str) -> None:
    program = STF / f"{name}.p4"
    options = Options(include_dirs=(STF,), layout=layout)
    result = run_case(program, program.with_suffix(".stf"), place, PlaceOptions(options))
    assert result.passed, "\n".join(result.failures)


def test_what_is_locked_is_not_cut_if_it_fits_in_a_part() -> None:
    c = compile(Session(PROGRAM, Options(layout=TAIL_CALLS))).c
    parts = c.split('SEC("xdp")')[1:]
    assert len(parts) == 2
    for part in parts:
        held = 0
        for line in part.splitlines():
            held += "p4xdp_lock(" in line
            assert not (held and "bpf_tail_call(" in line)
            held = 0 if "p4xdp_unlock(" in line else held


@pytest.mark.parametrize("gone", [1, 2])
def test_a_tail_call_that_fails_releases_the_lock(gone: int, tmp_path: Path) -> None:
    with BpfObject(large(tmp_path)) as loaded:
        loaded.load()
        first, lock = loaded.map("first_"), loaded.map("lock")
        loaded.map("parts").delete(gone.to_bytes(4, "little"))
        for _ in range(2):
            assert loaded.program("atomic_large").test_run(bytes(18)).verdict == ABORTED
            cell = first.lookup(bytes(4))
            assert cell is not None
            assert bool(cell[0]) == (gone == 2)
            assert lock.lookup(bytes(4)) == bytes(8)
