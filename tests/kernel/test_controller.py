"""Controllers in Python, and `p4xdp listen`: what a loaded program tells, and what it is told."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sandbox import ROOT, Namespace, eventually, send

from p4xdp import controller
from p4xdp.cli import main
from p4xdp.controller import ControlError, Digest, Entry, Masked, Prefix, Range, Switch
from p4xdp.driver import Session, compile
from p4xdp.options import Options
from p4xdp.runtime import clang, load, pins
from p4xdp.runtime.libbpf import BpfProgram

PROGRAM = Path(__file__).with_name("controlled.p4")
SOURCE = 0x020000000002
FRAME = bytes.fromhex("020000000001 020000000002 0800") + bytes(46)
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, object]:
    here = tmp_path_factory.mktemp("controlled")
    output = compile(Session(PROGRAM, Options()))
    (here / "a.c").write_text(output.c)
    clang.build(here / "a.c", here / "a.o")
    return here / "a.o", output.description


@pytest.fixture
def switch(namespace: Namespace, built: tuple[Path, object]) -> Iterator[Switch]:
    """The program on `va`, port 4."""
    object, description = built
    load.load(object, description, "va", ports=((4, "va"),))  # type: ignore[arg-type]
    with Switch.open("va") as opened:
        yield opened
    load.unload("va")


def test_digests_come_as_they_are_sent(switch: Switch) -> None:
    switch.listen()
    send("vb", FRAME, FRAME)
    first, second = (next(switch.messages(4)) for _ in range(2))
    assert isinstance(first, Digest)
    assert isinstance(second, Digest)
    assert (first.name, first.receiver) == ("seen_t", 3)
    assert first.fields == second.fields == {"src": SOURCE, "port": 4}
    assert 0 < first.time <= second.time
    assert list(switch.messages(0)) == []
    assert switch.lost() == 0


def test_a_switch_can_be_waited_for(switch: Switch) -> None:
    assert select.select([switch], [], [], 0)[0] == []
    send("vb", FRAME)
    assert select.select([switch], [], [], 4)[0] == [switch]
    (message,) = switch.messages(0)
    assert message.fields["src"] == SOURCE


def test_messages_that_find_no_room_are_counted(switch: Switch) -> None:
    room = (1 << 20) // (24 + 8)
    with BpfProgram.pinned(switch.pins / "program") as program:
        program.test_run(FRAME, repeat=room + 1000)
    switch.listen()
    found = len(list(switch.messages(0)))
    assert found + switch.lost() == room + 1000
    assert switch.lost() > 900


def test_entries_are_read_as_they_were_written(switch: Switch) -> None:
    switch.add("exacts", {"dst": "02:00:00:00:00:01"}, "to_port", {"port": 7})
    switch.add("prefixes", {"dst": Prefix(0x020000000000, 40)}, "drop")
    wanted = {"src": Masked(0x02, 0x0F), "type": Range(0x800, 0x8FF)}
    switch.add("ternaries", wanted, "to_port", {"port": 1}, priority=10)
    switch.add("ternaries", {"type": Range(1, 1)}, "NoAction", priority=20)
    assert switch.entries("exacts") == (
        Entry({"hd.eth.dst": 0x020000000001}, "I.to_port", {"port": 7}),
    )
    assert switch.entries("prefixes") == (
        Entry({"hd.eth.dst": Prefix(0x020000000000, 40)}, "I.drop", {}),
    )
    assert switch.entries("ternaries") == (
        Entry({"hd.eth.type": Range(1, 1)}, "NoAction", {}, 20),
        Entry(
            {"hd.eth.src": Masked(0x02, 0x0F), "hd.eth.type": Range(0x800, 0x8FF)},
            "I.to_port",
            {"port": 1},
            10,
        ),
    )
    switch.add("exacts", {"dst": 0x020000000001}, "drop")
    assert [entry.action for entry in switch.entries("exacts")] == ["I.drop"]
    switch.clear("exacts")
    assert switch.entries("exacts") == ()
    assert len(switch.entries("ternaries")) == 2


def test_defaults_and_counters(switch: Switch) -> None:
    assert switch.default("exacts") == Entry({}, "I.drop", {})
    switch.set_default("exacts", "to_port", {"port": 5})
    assert switch.default("exacts") == Entry({}, "I.to_port", {"port": 5})
    send("vb", FRAME, FRAME)
    assert len([next(switch.messages(4)) for _ in range(2)]) == 2
    assert switch.counter("frames", 2) == switch.counter("frames", 2, "packets") == 2
    assert switch.counter("frames", 2, "bytes") == 2 * len(FRAME)
    assert switch.counter("frames", 3) == 0


def test_entries_are_removed_and_defaults_put_back(switch: Switch) -> None:
    switch.add("exacts", {"dst": 1}, "drop")
    switch.add("prefixes", {"dst": Prefix(0x020000000000, 40)}, "drop")
    switch.add("ternaries", {"src": Masked(2, 15)}, "drop", priority=4)
    switch.add("ternaries", {"src": Masked(2, 15)}, "drop", priority=5)
    switch.remove("exacts", {"dst": 1})
    switch.remove("prefixes", {"dst": Prefix(0x020000000000, 40)})
    switch.remove("ternaries", {"src": Masked(2, 15)}, priority=4)
    assert switch.entries("exacts") == switch.entries("prefixes") == ()
    assert [entry.priority for entry in switch.entries("ternaries")] == [5]
    with pytest.raises(ControlError, match="no such entry"):
        switch.remove("exacts", {"dst": 1})
    switch.set_default("exacts", "to_port", {"port": 5})
    switch.reset_default("exacts")
    assert switch.default("exacts").action == "I.drop"


def test_the_counter_of_an_entry_and_a_register(switch: Switch) -> None:
    switch.add("exacts", {"dst": 0x020000000001}, "drop")
    send("vb", FRAME, FRAME, FRAME)
    assert len([next(switch.messages(4)) for _ in range(3)]) == 3
    assert switch.entry_counter("hits", "exacts", {"dst": 0x020000000001}) == 3
    assert switch.entries("exacts")[0].data == {}
    switch.write_register("notes", 1, 77)
    send("vb", FRAME)
    next(switch.messages(4))
    assert switch.entry_counter("hits", "exacts", {"dst": 0x020000000001}) == 3
    with pytest.raises(ControlError, match="the entry is not there"):
        switch.entry_counter("hits", "exacts", {"dst": 5})


def test_files_of_entries_are_carried_out(switch: Switch, tmp_path: Path) -> None:
    file = tmp_path / "commands.txt"
    file.write_text("table_add exacts to_port 02:00:00:00:00:09 => 3\n")
    switch.run(file)
    (entry,) = switch.entries("exacts")
    assert (entry.keys, entry.data) == ({"hd.eth.dst": 0x020000000009}, {"port": 3})


def test_what_cannot_be_done_is_said(switch: Switch, namespace: Namespace) -> None:
    with pytest.raises(ControlError, match="`exact` is no table"):
        switch.entries("exact")
    with pytest.raises(ControlError, match="`elsewhere` is no action"):
        switch.add("exacts", {"dst": 1}, "elsewhere")
    with pytest.raises(ControlError, match="`x` is no number"):
        switch.add("exacts", {"dst": "x"}, "drop")
    with pytest.raises(ControlError, match="is no number"):
        switch.add("exacts", {"dst": -1}, "drop")
    with pytest.raises(ControlError, match="no program of p4xdp is on `vb`"):
        Switch.open("vb")
    with pytest.raises(ControlError, match=r"no program `other` is on `va`.*there is controlled"):
        Switch.open("va", "other")
    with pytest.raises(ControlError, match="nosuch"):
        Switch.open("nosuch")


ODD: dict[str, Callable[[Switch], object]] = {
    "`1.5` is no number": lambda s: s.add("exacts", {"dst": 1.5}, "drop"),  # type: ignore[dict-item]
    "`None` is no number": lambda s: s.add("exacts", {"dst": None}, "drop"),  # type: ignore[dict-item]
    "thousands of digits": lambda s: s.add("exacts", {"dst": 1 << 20_000}, "drop"),
    r"`\[1\]` are no keys": lambda s: s.add("exacts", [1], "drop"),  # type: ignore[arg-type]
    r"`\[2\]` are no action data": lambda s: s.set_default("exacts", "to_port", [2]),  # type: ignore[arg-type]
    "`-1` is no number": lambda s: s.counter("frames", -1),
    "`x` is no number": lambda s: s.counter("frames", "x"),  # type: ignore[arg-type]
    "`drops` is not counted": lambda s: s.counter("frames", 0, "drops"),
    "`inf` is no number of seconds": lambda s: s.set_timeout("exacts", {"dst": 1}, float("inf")),
    "`nan` is no number of seconds": lambda s: s.idle("exacts", float("nan")),
    "`5` is no name": lambda s: s.entries(5),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("said", list(ODD))
def test_odd_values_are_refused_in_words(switch: Switch, said: str) -> None:
    with pytest.raises(ControlError, match=said):
        ODD[said](switch)


def test_a_closed_switch_says_so(built: tuple[Path, object], switch: Switch) -> None:
    with Switch.open("va") as other:
        other.entries("exacts")
    with pytest.raises(ControlError, match="this switch is closed"):
        other.entries("exacts")
    other.close()


@pytest.mark.parametrize("seconds", ["1e18", "inf"])
def test_listen_waits_for_as_long_as_one_says(switch: Switch, seconds: str) -> None:
    command = [sys.executable, "-m", "p4xdp.cli", "listen", "--dev", "va", "--count", "1"]
    command += ["--seconds", seconds]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as process:
        assert process.stderr is not None
        process.stderr.readline()
        send("vb", FRAME)
        shown, _ = process.communicate(timeout=10)
    assert process.returncode == 0
    assert "digest seen_t" in shown


def test_what_is_left_of_another_namespace_is_not_opened(
    switch: Switch, monkeypatch: pytest.MonkeyPatch
) -> None:
    install = controller.installed("va")
    gone = replace(install, attachment=replace(install.attachment, namespace=1))
    monkeypatch.setattr(pins, "of_device", lambda *_: (gone, install))
    assert controller.installed("va") is install


def test_a_program_that_sends_nothing_is_not_listened_to(
    switch: Switch, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install = controller.installed("va")
    silent = replace(install, description=replace(install.description, messages=None))
    monkeypatch.setattr(controller, "installed", lambda _: silent)
    assert main(["listen", "--dev", "va"]) == 1
    assert "error[no-messages]: `controlled` sends no digests" in capsys.readouterr().err
    with Switch(silent) as other, pytest.raises(ControlError, match="sends no messages"):
        other.listen()


@pytest.mark.parametrize("form", ["text", "json"])
def test_listen_prints_messages(switch: Switch, namespace: Namespace, form: str) -> None:
    flags = ["--json"] if form == "json" else []
    command = [sys.executable, "-m", "p4xdp.cli", "listen", "--dev", "va", "--count", "1", *flags]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "listening to controlled\n"
        send("vb", FRAME)
        shown, said = process.communicate(timeout=10)
    assert (process.returncode, said) == (0, "")
    if form == "json":
        told = json.loads(shown)
        assert told.pop("time") > 0
        fields = {"src": SOURCE, "port": 4}
        assert told == {"kind": "digest", "name": "seen_t", "receiver": 3, "fields": fields}
    else:
        assert shown.endswith(" digest seen_t to 3: src=0x20000000002 port=4\n")


def test_the_generated_header_reads_digests(switch: Switch, tmp_path: Path) -> None:
    output = compile(Session(PROGRAM, Options()))
    (tmp_path / "controlled.h").write_text(output.header)
    source = Path(__file__).with_name("digest_tool.c")
    flags = ["-Wall", "-Wextra", "-Werror", f"-I{tmp_path}", "-o", tmp_path / "tool"]
    subprocess.run(["cc", *flags, source, "-lbpf"], check=True)
    path = switch.pins
    with subprocess.Popen([tmp_path / "tool", path], stdout=subprocess.PIPE, text=True) as tool:
        assert tool.stdout is not None
        assert tool.stdout.readline() == "listening\n"
        send("vb", FRAME)
        shown, _ = tool.communicate(timeout=10)
    assert (tool.returncode, shown) == (0, "to 3: 20000000002 at 4\n")


def test_a_reload_goes_on_telling_who_listens(switch: Switch, built: tuple[Path, object]) -> None:
    switch.listen()
    send("vb", FRAME)
    assert eventually(lambda: bool(select.select([switch], [], [], 0)[0]))
    object, description = built
    load.load(object, description, "va", ports=((4, "va"),))  # type: ignore[arg-type]
    send("vb", FRAME)
    assert len([next(switch.messages(4)) for _ in range(2)]) == 2
