"""Packet captures: pcap and pcapng in, pcap out.

Packets are read one after another, so a capture may be larger than memory. One that is cut off,
or says what cannot be, is refused with its name and the packet's number (from 1). What is written
appears whole or not at all.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from p4xdp.diagnostics import CompileError, fail
from p4xdp.output import cannot_write, whole_file
from p4xdp.records import dataclass

ETHERNET = 1
LARGEST_PACKET = 262144
LARGEST_BLOCK = 16 << 20
NANOSECONDS = 1_000_000_000

PCAP_MICROSECONDS, PCAP_NANOSECONDS = 0xA1B2C3D4, 0xA1B23C4D
PCAPNG_SECTION = 0x0A0D0D0A
PCAPNG_ORDER = 0x1A2B3C4D
INTERFACE, OLD_PACKET, SIMPLE_PACKET, PACKET = 1, 2, 3, 6
OPTION_RESOLUTION, OPTION_OFFSET = 9, 14


@dataclass(frozen=True, slots=True)
class Captured:
    """A packet; `length` is what it had on the wire, more than `data` when it was cut short.

    `time` is in nanoseconds since 1970.
    """

    time: int
    data: bytes
    length: int


def read_packets(path: Path) -> Iterator[Captured]:
    """Walk through a capture; raises CompileError (`capture`)."""
    try:
        with path.open("rb") as stream:
            yield from _Reader(path, stream).packets()
    except OSError as error:
        raise fail("capture", None, f"cannot read {path}: {error.strerror}") from error


class _Reader:
    """Reads one file; `number` is that of the packet that comes next."""

    def __init__(self, path: Path, stream: BinaryIO) -> None:
        self.path = path
        self.stream = stream
        self.number = 1

    def packets(self) -> Iterator[Captured]:
        magic = self.stream.read(4)
        for order in "<>":
            if len(magic) == 4:
                (number,) = struct.unpack(f"{order}I", magic)
                if number in (PCAP_MICROSECONDS, PCAP_NANOSECONDS):
                    return self._pcap(order, number == PCAP_NANOSECONDS)
                if number == PCAPNG_SECTION:
                    return self._pcapng()
        raise self.error(_what_it_is(magic))

    def error(self, text: str) -> CompileError:
        return fail("capture", None, f"{self.path}: {text}")

    def take(self, size: int, what: str) -> bytes:
        """Read exactly `size` bytes of `what`."""
        data = self.stream.read(size)
        if len(data) < size:
            text = f"{what} is cut off: {len(data)} of {size} bytes are there"
            raise self.error(text)
        return data

    def check_link(self, link: int) -> None:
        if link != ETHERNET:
            raise self.error(f"link type {link}, not Ethernet ({ETHERNET})")

    # pcap

    def _pcap(self, order: str, nanoseconds: bool) -> Iterator[Captured]:
        header = struct.unpack(f"{order}HHiIII", self.take(20, "the file's header"))
        self.check_link(header[5] & 0xFFFF)
        scale = 1 if nanoseconds else 1000
        while True:
            head = self.stream.read(16)
            if not head:
                return
            what = f"packet {self.number}"
            head += self.take(16 - len(head), what) if len(head) < 16 else b""
            seconds, fraction, size, length = struct.unpack(f"{order}IIII", head)
            if size > LARGEST_PACKET:
                raise self.error(f"{what} says that it has {size} bytes: the file is damaged")
            data = self.take(size, what)
            yield Captured(seconds * NANOSECONDS + fraction * scale, data, length)
            self.number += 1

    # pcapng

    def _pcapng(self) -> Iterator[Captured]:
        self.stream.seek(0)
        order = "<"
        interfaces: list[_Interface] = []
        while True:
            head = self.stream.read(8)
            if not head:
                return
            head += self.take(8 - len(head), self._next()) if len(head) < 8 else b""
            kind, size = struct.unpack(f"{order}II", head)
            if kind == PCAPNG_SECTION:
                order, size, body = self._section(head)
                interfaces = []
            else:
                body = self._block(order, size)
            if kind == INTERFACE:
                interfaces.append(_interface(order, body))
                self.check_link(interfaces[-1].link)
            elif kind in (PACKET, OLD_PACKET, SIMPLE_PACKET):
                yield self._packet(order, kind, body, interfaces)
                self.number += 1

    def _next(self) -> str:
        return f"the block of packet {self.number}"

    def _section(self, head: bytes) -> tuple[str, int, bytes]:
        """Return byte order, size and body of a section's header."""
        mark = self.take(4, "the section's header")
        order = "<" if struct.unpack("<I", mark)[0] == PCAPNG_ORDER else ">"
        if struct.unpack(f"{order}I", mark)[0] != PCAPNG_ORDER:
            raise self.error("a section's byte order is unreadable: the file is damaged")
        (size,) = struct.unpack(f"{order}I", head[4:])
        return order, size, self._block(order, size, mark)

    def _block(self, order: str, size: int, body: bytes = b"") -> bytes:
        """Return the body of a block whose head (and the start of its body) is read."""
        if size < 12 + len(body) or size % 4 or size > LARGEST_BLOCK:
            raise self.error(f"{self._next()} says that it has {size} bytes: the file is damaged")
        body += self.take(size - 12 - len(body), self._next())
        if self.take(4, self._next()) != struct.pack(f"{order}I", size):
            raise self.error(f"{self._next()} gives two sizes: the file is damaged")
        return body

    def _packet(self, order: str, kind: int, body: bytes, interfaces: list[_Interface]) -> Captured:
        try:
            if kind == SIMPLE_PACKET:
                (length,) = struct.unpack_from(f"{order}I", body)
                return Captured(0, body[4 : 4 + min(length, interfaces[0].most)], length)
            layout = "IIIII" if kind == PACKET else "HHIIII"
            fields = struct.unpack_from(f"{order}{layout}", body)
            high, low, size, length = fields[-4:]
            time = interfaces[fields[0]].nanoseconds(high << 32 | low)
        except (struct.error, IndexError):
            raise self.error(f"{self._next()} is malformed: the file is damaged") from None
        data = body[20 : 20 + size]
        if len(data) < size:
            raise self.error(f"packet {self.number} is cut off: {len(data)} of {size} bytes")
        return Captured(time, data, length)


@dataclass(frozen=True, slots=True)
class _Interface:
    """`units` are a second, `offset` seconds are added; `most` bytes of a packet are kept."""

    link: int
    most: int
    units: int
    offset: int

    def nanoseconds(self, time: int) -> int:
        return time * NANOSECONDS // self.units + self.offset * NANOSECONDS


def _interface(order: str, body: bytes) -> _Interface:
    link, _, most = struct.unpack_from(f"{order}HHI", body.ljust(8, b"\0"))
    units, offset = 1_000_000, 0
    for option, value in _options(order, body[8:]):
        if option == OPTION_RESOLUTION and value:
            exponent = value[0] & 0x7F
            units = 2**exponent if value[0] & 0x80 else 10**exponent
        elif option == OPTION_OFFSET and len(value) == 8:
            (offset,) = struct.unpack(f"{order}q", value)
    return _Interface(link, most or LARGEST_PACKET, units, offset)


def _options(order: str, text: bytes) -> Iterator[tuple[int, bytes]]:
    while len(text) >= 4:
        option, size = struct.unpack_from(f"{order}HH", text)
        if option == 0:
            return
        yield option, text[4 : 4 + size]
        text = text[4 + (size + 3) // 4 * 4 :]


def _what_it_is(magic: bytes) -> str:
    if not magic:
        return "the file is empty"
    if magic[:2] == b"\x1f\x8b":
        return "the file is compressed by gzip: unpack it first"
    return "the file is neither pcap nor pcapng"


class CaptureWriter:
    """Writes packets to the stream of a file."""

    def __init__(self, path: Path, stream: BinaryIO) -> None:
        self._path = path
        self._stream = stream
        self._put(struct.pack("<IHHiIII", PCAP_NANOSECONDS, 2, 4, 0, 0, LARGEST_PACKET, ETHERNET))

    def write(self, packet: Captured) -> None:
        """Append a packet; raises CompileError (`cannot-write`)."""
        seconds, nanoseconds = divmod(packet.time, NANOSECONDS)
        size = len(packet.data)
        head = (seconds & 0xFFFFFFFF, nanoseconds, size, max(size, packet.length))
        self._put(struct.pack("<IIII", *head) + packet.data)

    def _put(self, data: bytes) -> None:
        try:
            self._stream.write(data)
        except OSError as error:
            raise cannot_write(self._path, error) from error


@contextmanager
def write_packets(path: Path) -> Iterator[CaptureWriter]:
    """Write a pcap file, which appears when the block ends well.

    Raises CompileError (`cannot-write`).
    """
    with whole_file(path) as stream:
        yield CaptureWriter(path, stream)
