"""What `p4xdp trace` tells of packets, in words and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from p4_case import ETH, SKELETON

from p4xdp.cli import main
from p4xdp.options import Options
from p4xdp.runtime.capture import Captured, write_packets
from p4xdp.stf.place import PlaceOptions
from p4xdp.stf.runner import run_case

DECL = """
action set(bit<8> x) { hd.h.b = x; }
table t { key = { hd.h.a : exact; } actions = { set; NoAction; } }
"""
BODY = "if (t.apply().hit) { hd.g = hd.h; } hd.st[hd.h.a].c = 1;"
PARTS = {
    "types": "", "functions": "", "parser_locals": "", "fields": "H4[1] st;",
    "parse": "verify(hd.h.d == 0, error.NoMatch);", "emit": "",
}  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    program, capture, entries = (tmp_path / n for n in ("prog.p4", "in.pcap", "e.txt"))
    program.write_text(SKELETON.format(body=BODY, decl=DECL, **PARTS))
    entries.write_text("add t hd.h.a:5 set(x:0x42)\n")
    with write_packets(capture) as writer:
        for payload in ("05000000", "06000000", "00000001"):
            data = ETH + bytes.fromhex(payload)
            writer.write(Captured(0, data, len(data)))
    return program, capture, entries


def trace(files: tuple[Path, Path, Path], *more: str) -> int:
    program, capture, entries = map(str, files)
    return main(["trace", program, capture, "--entries", entries, *more])


def test_the_words(files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert trace(files) == 0
    first, second, third = capsys.readouterr().out.split("packet ")[1:]
    steps = [line.split(maxsplit=1)[1] for line in first.splitlines()[1:]]
    assert steps[:4] == [
        "parser P",
        "state start",
        "extract hd.eth at byte 0, 14 bytes: dst = 0x000102030405, src = 0x060708090a0b,"
        " type = 0x0800",
        "extract hd.h at byte 14, 4 bytes: a = 5, b = 0, c = 0, d = 0",
    ]
    assert steps[4:7] == ["verify(check = true, toSignal = NoMatch)", "-> accept", "control C"]
    assert "table C.t [hd.h.a = 5]: hit e.txt:1, C.set(x = 66)" in steps
    at = steps.index("table C.t [hd.h.a = 5]: hit e.txt:1, C.set(x = 66)")
    assert steps[at + 1 : at + 4] == [
        "hd.h.b = 66",
        "if: true",
        "hd.g = {a = 5, b = 66, c = 0, d = 0}",
    ]
    lost = "hd.st[5].c = 0? (lost: there is no such element, or its header is invalid)"
    assert steps[at + 4] == lost
    assert steps[-1] == "tx, leaves by port 1 with 22 bytes"
    assert "table C.t [hd.h.a = 6]: miss, NoAction()" in second
    assert "reject: error.NoMatch" in third
    assert third.rstrip().endswith("=> aborted")


def test_the_lines_of_the_source(
    files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    trace(files, "--packet", "1")
    source = files[0].read_text().splitlines()
    for line in capsys.readouterr().out.splitlines()[1:-1]:
        place, step = line.split(maxsplit=1)
        name, _, number = place.partition(":")
        assert name == "prog.p4"
        if step.startswith("extract hd.h"):
            assert "p.extract(hd.h)" in source[int(number) - 1]
        if step.startswith("hd.h.b = 66"):
            assert "hd.h.b = x" in source[int(number) - 1]


def test_one_packet_as_json(
    files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert trace(files, "--json", "--packet", "2", "--port", "7") == 0
    (packet,) = json.loads(capsys.readouterr().out)
    assert (packet["packet"], packet["port"], packet["verdict"]) == (2, 7, "tx")
    assert packet["output"] == (ETH + bytes.fromhex("06000000")).hex()
    applied = next(e for e in packet["events"] if e["event"] == "applied")
    assert applied["table"] == "C.t"
    assert applied["keys"] == {"hd.h.a": "6"}
    assert (applied["entry"], applied["action"]) == (None, "NoAction")
    assert applied["line"] > 0


def test_all_packets_as_json(
    files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert trace(files, "--json") == 0
    packets = json.loads(capsys.readouterr().out)
    assert [p["verdict"] for p in packets] == ["tx", "tx", "aborted"]
    assert packets[2]["output"] is None


def test_a_packet_that_is_not_there(
    files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert trace(files, "--packet", "4") == 1
    assert "there is no packet 4, the capture holds 3" in capsys.readouterr().err


def test_undefined_values_are_told(
    files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    body = "bit<8> x; if (x == 0) { hd.h.b = 1; }"
    files[0].write_text(SKELETON.format(body=body, decl=DECL, **PARTS))
    trace(files, "--packet", "1")
    assert "never set" in capsys.readouterr().out


@pytest.mark.parametrize("place", ["interp", "native"])
@pytest.mark.parametrize("on_reject", ["aborted", "drop"])
def test_what_becomes_of_rejected_packets(
    tmp_path: Path, place: str, on_reject: str, build_dir: Path
) -> None:
    program, stf = tmp_path / "prog.p4", tmp_path / "prog.stf"
    program.write_text(SKELETON.format(body="", decl="", **{**PARTS, "fields": ""}))
    stf.write_text(f"packet 0 {ETH.hex()}00000001\nverdict {on_reject}\nno_packet\n")
    options = PlaceOptions(Options(on_reject=on_reject), build_dir)
    result = run_case(program, stf, place, options)
    assert result.passed or result.skipped, result.failures
