"""Captures: both formats, both byte orders, and files that are cut off or damaged."""

from __future__ import annotations

import struct
from io import BytesIO
from pathlib import Path

import dpkt
import pytest

from p4xdp.diagnostics import CompileError
from p4xdp.runtime.capture import Captured, read_packets, write_packets

SECOND = 1_700_000_000
FIRST, SECOND_FRAME = bytes(range(60)), bytes(range(60, 160))


def pcap(order: str, magic: int, fraction: int, link: int = 1, length: int = 60) -> bytes:
    head = struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 65535, link)
    record = struct.pack(f"{order}IIII", SECOND, fraction, 60, length)
    return head + record + FIRST + struct.pack(f"{order}IIII", SECOND, 0, 100, 100) + SECOND_FRAME


def block(order: str, kind: int, body: bytes) -> bytes:
    body += bytes(-len(body) % 4)
    size = struct.pack(f"{order}I", 12 + len(body))
    return struct.pack(f"{order}I", kind) + size + body + size


def section(order: str) -> bytes:
    return block(order, 0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1))


def interface(order: str, link: int = 1, most: int = 0, options: bytes = b"") -> bytes:
    return block(order, 1, struct.pack(f"{order}HHI", link, 0, most) + options)


def enhanced(order: str, interface: int, time: int, data: bytes) -> bytes:
    head = (interface, time >> 32, time & 0xFFFFFFFF, len(data), len(data))
    return block(order, 6, struct.pack(f"{order}IIIII", *head) + data)


def read(tmp_path: Path, content: bytes) -> list[Captured]:
    path = tmp_path / "in.pcap"
    path.write_bytes(content)
    return list(read_packets(path))


def refusal(tmp_path: Path, content: bytes) -> str:
    with pytest.raises(CompileError) as error:
        read(tmp_path, content)
    (found,) = error.value.diagnostics
    assert found.code == "capture"
    start = f"{tmp_path / 'in.pcap'}: "
    assert found.text.startswith(start)
    return found.text.removeprefix(start)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(("magic", "unit"), [(0xA1B2C3D4, 1000), (0xA1B23C4D, 1)])
def test_pcap_in_every_form(tmp_path: Path, order: str, magic: int, unit: int) -> None:
    first, second = read(tmp_path, pcap(order, magic, 123456))
    assert first == Captured(SECOND * 10**9 + 123456 * unit, FIRST, 60)
    assert second == Captured(SECOND * 10**9, SECOND_FRAME, 100)


def test_a_packet_that_the_capture_cut_short_keeps_its_length(tmp_path: Path) -> None:
    first, _ = read(tmp_path, pcap("<", 0xA1B2C3D4, 0, length=1514))
    assert (len(first.data), first.length) == (60, 1514)


@pytest.mark.parametrize("order", ["<", ">"])
def test_pcapng_with_interfaces_of_several_resolutions(tmp_path: Path, order: str) -> None:
    nanoseconds = struct.pack(f"{order}HHBxxxHH", 9, 1, 9, 0, 0)
    binary = struct.pack(f"{order}HHBxxx", 9, 1, 0x80 | 10)
    offset = struct.pack(f"{order}HHqHH", 14, 8, 100, 0, 0)
    content = (
        section(order)
        + interface(order)
        + interface(order, options=nanoseconds)
        + interface(order, options=binary + offset)
        + block(order, 5, bytes(12))
        + enhanced(order, 0, 7, FIRST)
        + enhanced(order, 1, 7, FIRST)
        + enhanced(order, 2, 512, FIRST[:59])
    )
    packets = read(tmp_path, content)
    assert [p.time for p in packets] == [7000, 7, 100_500_000_000]
    assert packets[2].data == FIRST[:59]


def test_pcapng_with_simple_and_old_packets_and_two_sections(tmp_path: Path) -> None:
    simple = block("<", 3, struct.pack("<I", 1500) + FIRST[:40])
    old = block(">", 2, struct.pack(">HHIIII", 0, 0, 0, 9, 60, 61) + FIRST)
    content = section("<") + interface("<", most=40) + simple + section(">") + interface(">") + old
    packets = read(tmp_path, content)
    assert packets == [Captured(0, FIRST[:40], 1500), Captured(9000, FIRST, 61)]


def test_what_another_library_writes_is_read(tmp_path: Path) -> None:
    for writer in (dpkt.pcap.Writer, dpkt.pcapng.Writer):
        stream = BytesIO()
        writer(stream).writepkt(FIRST, ts=SECOND + 0.5)
        (packet,) = read(tmp_path, stream.getvalue())
        assert packet == Captured(SECOND * 10**9 + 500_000_000, FIRST, 60)


def test_what_is_written_is_read_by_another_library(tmp_path: Path) -> None:
    path = tmp_path / "out.pcap"
    with write_packets(path) as writer:
        writer.write(Captured(SECOND * 10**9 + 25 * 10**7, FIRST, 60))
        writer.write(Captured(0, b"", 0))
        assert not path.exists()
    with path.open("rb") as stream:
        packets = list(dpkt.pcap.Reader(stream))
    assert [(float(time), data) for time, data in packets] == [(SECOND + 0.25, FIRST), (0, b"")]
    assert list(read_packets(path)) == [
        Captured(SECOND * 10**9 + 25 * 10**7, FIRST, 60),
        Captured(0, b"", 0),
    ]


@pytest.mark.parametrize("keep", [24 + 16 + 60 + 1, 24 + 16 + 60 + 16, 24 + 16 + 60 + 16 + 99])
def test_a_pcap_that_is_cut_off(tmp_path: Path, keep: int) -> None:
    text = refusal(tmp_path, pcap("<", 0xA1B2C3D4, 0)[:keep])
    assert text.startswith("packet 2 is cut off: ")


@pytest.mark.parametrize("keep", [28, 28 + 7])
def test_a_pcapng_that_is_cut_off(tmp_path: Path, keep: int) -> None:
    content = section("<") + interface("<") + enhanced("<", 0, 7, FIRST)
    last = enhanced("<", 0, 7, SECOND_FRAME)
    assert refusal(tmp_path, content + last[:keep]).startswith("the block of packet 2 is cut off: ")
    assert refusal(tmp_path, content + last[:-1]).startswith("the block of packet 2 is cut off: ")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "the file is empty"),
        (b"\x1f\x8b\x08\x00", "the file is compressed by gzip: unpack it first"),
        (b"header.p4 is no capture", "the file is neither pcap nor pcapng"),
        (b"\xd4\xc3\xb2", "the file is neither pcap nor pcapng"),
        (pcap("<", 0xA1B2C3D4, 0)[:20], "the file's header is cut off: 16 of 20 bytes are there"),
        (pcap("<", 0xA1B2C3D4, 0, link=113), "link type 113, not Ethernet (1)"),
        (section("<") + interface("<", link=276), "link type 276, not Ethernet (1)"),
        (
            pcap("<", 0xA1B2C3D4, 0)[:24] + struct.pack("<IIII", 0, 0, 1 << 30, 60),
            "packet 1 says that it has 1073741824 bytes: the file is damaged",
        ),
        (
            section("<") + struct.pack("<II", 6, 13),
            "the block of packet 1 says that it has 13 bytes: the file is damaged",
        ),
        (
            section("<") + interface("<")[:-4] + bytes(4),
            "the block of packet 1 gives two sizes: the file is damaged",
        ),
        (
            section("<") + enhanced("<", 0, 7, FIRST),
            "the block of packet 1 is malformed: the file is damaged",
        ),
        (
            section("<") + interface("<") + block("<", 6, struct.pack("<IIIII", 0, 0, 0, 9, 9)),
            "packet 1 is cut off: 0 of 9 bytes",
        ),
        (
            block("<", 0x0A0D0D0A, bytes(16)),
            "a section's byte order is unreadable: the file is damaged",
        ),
    ],
)
def test_a_file_that_is_no_capture_or_damaged(tmp_path: Path, content: bytes, text: str) -> None:
    assert refusal(tmp_path, content) == text


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as error:
        list(read_packets(tmp_path / "none"))
    assert "No such file or directory" in error.value.diagnostics[0].text


def test_an_error_in_between_leaves_no_output(tmp_path: Path) -> None:
    path = tmp_path / "out.pcap"
    path.write_bytes(b"before")

    def break_off() -> None:
        with write_packets(path) as writer:
            writer.write(Captured(0, FIRST, 60))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_off()
    assert [p.name for p in tmp_path.iterdir()] == ["out.pcap"]
    assert path.read_bytes() == b"before"


def test_an_output_that_cannot_be_written(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none" / "out.pcap"):
        with pytest.raises(CompileError) as error, write_packets(path):
            pass
        assert error.value.diagnostics[0].code == "cannot-write"
