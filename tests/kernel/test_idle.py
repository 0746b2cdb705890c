"""Idle timeouts of a loaded program: when entries were hit last, and which are out of date."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sandbox import Namespace

from p4xdp.controller import ControlError, Switch
from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.runtime import clang, load
from p4xdp.runtime.libbpf import BpfProgram

pytestmark = pytest.mark.kernel

PROGRAM = Path(__file__).parents[1] / "stf" / "v1model" / "idle.p4"


@pytest.fixture
def switch(namespace: Namespace, tmp_path: Path) -> Iterator[Switch]:
    output = compile(Session(PROGRAM, Options()))
    (tmp_path / "a.c").write_text(output.c)
    clang.build(tmp_path / "a.c", tmp_path / "a.o")
    load.load(tmp_path / "a.o", output.description, "va", ports=((4, "va"),))
    with Switch.open("va") as opened:
        yield opened
    load.unload("va")


def hit(switch: Switch, first: int) -> None:
    with BpfProgram.pinned(switch.pins / "program") as program:
        program.test_run(bytes((first,)) + bytes(13))


def idle(switch: Switch, table: str) -> dict[int, float]:
    found = {}
    for entry in switch.entries(table):
        (key,) = entry.keys.values()
        assert isinstance(key, int)
        assert entry.idle is not None
        found[key] = entry.idle
    return found


def test_the_last_hit_counts(switch: Switch) -> None:
    for key in (1, 2):
        switch.add("timed", {"data.a": key}, "set", {"value": 9}, priority=key)
    time.sleep(0.2)
    switch.add("timed", {"data.a": 3}, "set", {"value": 9}, priority=3)
    hit(switch, 1)
    times = idle(switch, "timed")
    assert times[1] < times[3] < 0.2 <= times[2]
    (entry,) = switch.idle("timed", 0.2)
    assert entry.keys == {"hdr.data.a": 2}
    assert switch.idle("timed") == ()
    switch.set_timeout("timed", {"data.a": 2}, 0.1, priority=2)
    switch.set_timeout("timed", {"data.a": 1}, 60, priority=1)
    (entry,) = switch.idle("timed")
    assert (entry.keys, entry.timeout) == ({"hdr.data.a": 2}, 0.1)
    hit(switch, 2)
    assert switch.idle("timed") == ()
    assert switch.entry_counter("hits", "timed", {"data.a": 2}, priority=2) == 1


def test_an_entry_that_changes_has_its_time_still(switch: Switch) -> None:
    switch.add("other", {"data.b": 0}, "set", {"value": 9})
    time.sleep(0.1)
    switch.add("other", {"data.b": 0}, "set", {"value": 8})
    assert idle(switch, "other")[0] >= 0.1
    switch.remove("other", {"data.b": 0})
    switch.add("other", {"data.b": 0}, "set", {"value": 9})
    assert idle(switch, "other")[0] < 0.1


def test_a_table_without_timeouts(switch: Switch) -> None:
    with pytest.raises(ControlError, match="have no timeouts"):
        switch.idle("never", 1)
    with pytest.raises(ControlError, match="have no timeouts"):
        switch.set_timeout("never", {"data.b": 0}, 1)
    with pytest.raises(ControlError, match="no such entry"):
        switch.set_timeout("other", {"data.b": 77}, 1)
