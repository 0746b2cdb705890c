"""@atomic on several CPUs at a time: no packet undoes what another one did."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.runtime import clang
from p4xdp.runtime.libbpf import BpfObject

pytestmark = pytest.mark.kernel

PROGRAM = Path(__file__).parents[1] / "stf" / "v1model" / "atomic.p4"
LARGE = bytes((8,)) + bytes(15)
"""A packet that adds one to both words of a cell of 128 bits."""

TURNS = 200_000


def run_on(cpu: int, built: BpfObject, ready: threading.Barrier) -> None:
    os.sched_setaffinity(0, {cpu})
    ready.wait()
    built.program().test_run(LARGE, repeat=TURNS)


@pytest.mark.parametrize("cpu", ["v1", "v3"])
def test_no_update_is_lost(cpu: str, tmp_path: Path) -> None:
    cpus = sorted(os.sched_getaffinity(0))[:2]
    if len(cpus) < 2:
        pytest.skip("there is one CPU only")
    path = tmp_path / "atomic.c"
    path.write_text(compile(Session(PROGRAM, Options())).c)
    made = clang.build(path, path.with_suffix(".o"), cpu=cpu)
    with BpfObject(made.object) as loaded:
        loaded.load()
        ready = threading.Barrier(len(cpus))
        threads = [threading.Thread(target=run_on, args=(one, loaded, ready)) for one in cpus]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        cell = loaded.map("wide").lookup(bytes(4))
    assert cell is not None
    turns = len(cpus) * TURNS
    assert cell == turns.to_bytes(8, "big") * 2
