"""A capture through a v1model program with a file of entries, alike in every place."""

from __future__ import annotations

from pathlib import Path

import pytest
from v1_case import PROGRAM

from p4xdp.runtime.capture import Captured, write_packets
from p4xdp.stf.place import PlaceOptions
from p4xdp.stf.replay import CaptureTask, run_capture
from p4xdp.stf.runner import compiler

TABLE = """
action to(bit<9> port) { s.egress_spec = port; hd.h.d = 7; }
table t { key = { hd.h.a: exact; } actions = { to; NoAction; } default_action = NoAction(); }
"""


@pytest.mark.parametrize(
    "place", ["interp", "native", pytest.param("kernel", marks=pytest.mark.kernel)]
)
def test_entries_are_in_force_for_short_packets(tmp_path: Path, place: str) -> None:
    program, capture = tmp_path / "prog.p4", tmp_path / "in.pcap"
    program.write_text(PROGRAM.format(decl=TABLE, body="t.apply();"))
    with write_packets(capture) as writer:
        for first, size in ((1, 30), (2, 30), (2, 13)):
            writer.write(Captured(0, bytes([first]).ljust(size, b"\0"), size))
    entries = tmp_path / "commands.txt"
    entries.write_text("table_add t to 2 => 5\n")
    task = CaptureTask(capture, None, entries, 3, place)
    options = PlaceOptions()
    results = run_capture(task, compiler(program, options), options)
    assert [(one.port, one.new_size) for one in results] == [(0, 30), (5, 30), (5, 13)]
