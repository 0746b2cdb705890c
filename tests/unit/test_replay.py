"""A capture through a program: verdicts, what leaves, and what happens when something is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from by_hand import compile_by_hand

from p4xdp.cli import main
from p4xdp.diagnostics import CompileError
from p4xdp.runtime.capture import Captured, read_packets, write_packets
from p4xdp.stf.place import PlaceOptions
from p4xdp.stf.replay import CaptureTask, PacketResult, run_capture

ENTRIES = """\
add macs dst:1 drop()
add macs dst:2 to_port(port:3)
setdefault macs tag(vlan:5)
"""


def frame(dst: int, size: int = 60) -> bytes:
    return (dst.to_bytes(6, "big") + bytes(5) + b"\2\x08\x00").ljust(size, b"\xaa")


@pytest.fixture
def task(tmp_path: Path) -> CaptureTask:
    capture, entries = tmp_path / "in.pcap", tmp_path / "entries"
    entries.write_text(ENTRIES)
    with write_packets(capture) as writer:
        for number, dst in enumerate((1, 2, 3)):
            writer.write(Captured(number, frame(dst), 60))
        writer.write(Captured(3, frame(2)[:13], 60))
    return CaptureTask(capture, tmp_path / "out.pcap", entries, 1, "native")


def test_verdicts_and_the_packets_that_leave(task: CaptureTask, build_dir: Path) -> None:
    results = run_capture(task, compile_by_hand, PlaceOptions(build_dir=build_dir))
    assert results == (
        PacketResult(1, 60, "drop"),
        PacketResult(2, 60, "redirect", 3, 60),
        PacketResult(3, 60, "tx", 1, 64),
        PacketResult(4, 13, "aborted", cut=True),
    )
    assert task.output is not None
    tagged = frame(3)[:12] + bytes.fromhex("81000005") + frame(3)[12:]
    assert list(read_packets(task.output)) == [
        Captured(1, frame(2), 60),
        Captured(2, tagged, 64),
    ]


@pytest.mark.kernel
def test_the_kernel_says_the_same_and_what_it_cannot_take(
    task: CaptureTask, build_dir: Path
) -> None:
    options = PlaceOptions(build_dir=build_dir)
    on_kernel = CaptureTask(task.capture, None, task.entries, 1, "kernel")
    *same, short = run_capture(on_kernel, compile_by_hand, options)
    assert tuple(same) == run_capture(task, compile_by_hand, options)[:3]
    assert short.verdict is None
    assert short.refused == (
        "the kernel's test run takes no frame under 14 bytes, this has 13; interp and native run it"
    )


@pytest.mark.parametrize("broken", ["capture", "entries"])
def test_what_is_wrong_is_named_and_nothing_is_written(
    task: CaptureTask, build_dir: Path, broken: str
) -> None:
    if broken == "capture":
        task.capture.write_bytes(task.capture.read_bytes()[:-1])
    else:
        assert task.entries is not None
        task.entries.write_text(ENTRIES + "add mcas dst:1 drop()\n")
    before = sorted(p.name for p in task.capture.parent.iterdir())
    with pytest.raises(CompileError) as error:
        run_capture(task, compile_by_hand, PlaceOptions(build_dir=build_dir))
    (found,) = error.value.diagnostics
    text = f"{found.span}: {found.text}" if found.span else found.text
    expected = {
        "capture": f"{task.capture}: packet 4 is cut off: 12 of 13 bytes are there",
        "entries": f"{task.entries}:4:5: `mcas` is no table",
    }
    assert text == expected[broken]
    assert sorted(p.name for p in task.capture.parent.iterdir()) == before


def test_a_place_that_is_not_there(task: CaptureTask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-cc")
    with pytest.raises(CompileError) as error:
        run_capture(task, compile_by_hand, PlaceOptions())
    (found,) = error.value.diagnostics
    assert found.code == "place-missing"
    assert "no-such-cc" in found.text


def test_a_build_that_fails(
    task: CaptureTask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "cc"
    compiler.write_text('#!/bin/sh\ncase "$(cat "$(dirname "$0")"/native.*/out.c)" in\n')
    with compiler.open("a") as script:
        script.write("*by_hand*) echo no; exit 1;; esac\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    with pytest.raises(CompileError) as error:
        run_capture(task, compile_by_hand, PlaceOptions(build_dir=tmp_path))
    (found,) = error.value.diagnostics
    assert found.code == "place-failed"
    assert found.text.endswith("refuses the C:\nno")


@pytest.mark.parametrize("place", ["interp", "native"])
def test_digests_are_told(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = Path(__file__).parents[2] / "examples" / "v1model" / "learning_switch.p4"
    with write_packets(tmp_path / "in.pcap") as writer:
        writer.write(Captured(1, bytes.fromhex("020000000002 020000000001 0800") + bytes(46), 60))
    monkeypatch.chdir(tmp_path)
    assert main(["run", str(program), "in.pcap", "--on", place]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "packet 1: 60 bytes: drop",
        "packet 1: digest learn_t(source:0x20000000001, port:0x1) to 1",
    ]
