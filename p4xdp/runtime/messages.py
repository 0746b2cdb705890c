"""Messages from programs to user space: records of the ring buffer in, what they say out."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping

from p4xdp.description import Description, Field
from p4xdp.records import asdict, dataclass

HEAD = struct.Struct("=HHIQ")
"""A `struct p4xdp_message`: kind, number, receiver, time."""

PACKET_HEAD = struct.Struct("=II")
"""What follows it in a `struct p4xdp_packet_message`: the port, the length."""

DIGEST, PACKET = 1, 2


class MessageError(Exception):
    """The record is no message of this program: the text says why."""


@dataclass(frozen=True, slots=True)
class Digest:
    """Numbers that a packet had the control plane told: `fields` by their names in the order of the
    declaration. `receiver` is the one that the program names; `time` is when, in nanoseconds of
    the monotonic clock."""

    name: str
    receiver: int
    fields: dict[str, int]
    time: int = 0

    def __str__(self) -> str:
        fields = ", ".join(f"{name}:{value:#x}" for name, value in self.fields.items())
        return f"{self.name}({fields}) to {self.receiver}"


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet that left by the CPU port.

    `data` are its bytes, without the header that the program puts in front for controllers
    (`packet_in`), whose fields are `metadata`. `length` is what the packet had: data may be cut
    off. `port` is the one by which it came, `left_by` the CPU port; `time` as in Digest.
    """

    data: bytes
    metadata: dict[str, int]
    port: int
    left_by: int
    length: int
    time: int = 0

    @property
    def whole(self) -> bool:
        """Whether all of the packet is there."""
        return self.length == len(self.data)


Message = Digest | Packet


def decode(description: Description, record: bytes) -> Message:
    """Return what a record says; raises MessageError."""
    if len(record) < HEAD.size:
        raise MessageError(f"a record of {len(record)} bytes is no message")
    kind, number, receiver, time = HEAD.unpack_from(record)
    if kind == PACKET:
        raw, port, length = packet_of(record)
        fields, size = controller_header(description, "packet_in")
        if len(raw) < size:
            raise MessageError(f"a packet of {len(raw)} bytes has no header for controllers")
        metadata = _unpacked(fields, raw[:size])
        return Packet(raw[size:], metadata, port, receiver, length - size, time)
    if kind != DIGEST or number >= len(description.digests):
        raise MessageError(f"a message of kind {kind}, number {number} is not known")
    digest = description.digests[number]
    if len(record) < digest.size:
        raise MessageError(f"a digest `{digest.name}` of {len(record)} bytes is cut off")
    numbers = {field.name: _number(field, record) for field in digest.fields}
    return Digest(digest.name, receiver, numbers, time)


def packet_of(record: bytes) -> tuple[bytes, int, int]:
    """Return the bytes of a packet as it left, the port by which it came, and how many bytes it
    had; raises MessageError."""
    start = HEAD.size + PACKET_HEAD.size
    if len(record) < start:
        raise MessageError(f"a packet of {len(record)} bytes is cut off")
    port, length = PACKET_HEAD.unpack_from(record, HEAD.size)
    return record[start : start + length], port, length


def is_packet(record: bytes) -> bool:
    return len(record) >= HEAD.size and HEAD.unpack_from(record)[0] == PACKET


Fields = tuple[tuple[str, int], ...]


def controller_header(description: Description, name: str) -> tuple[Fields, int]:
    """Return the fields of a header for controllers and its size in bytes; none if the program has
    no such header."""
    for header in description.controller_headers:
        if header.name == name:
            return header.fields, sum(width for _, width in header.fields) // 8
    return (), 0


def packet_out(description: Description, data: bytes, metadata: Mapping[str, int]) -> bytes:
    """Return a packet from a controller: the header that the program wants, and the data. Fields
    that are not given are 0. Raises MessageError."""
    fields, size = controller_header(description, "packet_out")
    widths = dict(fields)
    for name, value in metadata.items():
        if name not in widths:
            there = ", ".join(widths) or "none"
            raise MessageError(f"packets from controllers have no field `{name}`; there is {there}")
        if not 0 <= value < 1 << widths[name]:
            raise MessageError(f"{value} does not fit `{name}`, a bit<{widths[name]}>")
    packed = 0
    for name, width in fields:
        packed = packed << width | metadata.get(name, 0)
    return packed.to_bytes(size, "big") + data


def _unpacked(fields: Fields, raw: bytes) -> dict[str, int]:
    number, left = int.from_bytes(raw, "big"), 8 * len(raw)
    found = {}
    for name, width in fields:
        left -= width
        found[name] = number >> left & ((1 << width) - 1)
    return found


def text_of(message: Message) -> str:
    """Return a line for people."""
    if isinstance(message, Packet):
        cut = "" if message.whole else f" of {message.length}"
        what = f"packet from port {message.port}, {len(message.data)}{cut} bytes"
        fields, data = message.metadata, f" {message.data.hex()}"
    else:
        what, data = f"digest {message.name} to {message.receiver}", ""
        fields = message.fields
    shown = "".join(f" {name}={_shown(value)}" for name, value in fields.items())
    return f"{_seconds(message.time)} {what}:{shown}{data}"


def json_of(message: Message) -> str:
    """Return a JSON object, in one line; `time` is in nanoseconds of the monotonic clock, the data
    of a packet hexadecimal digits."""
    if isinstance(message, Packet):
        return json.dumps({"kind": "packet", **asdict(message), "data": message.data.hex()})
    return json.dumps({"kind": "digest", **asdict(message)})


def _shown(value: int) -> str:
    return str(value) if value < 10 else f"{value:#x}"


def _seconds(time: int) -> str:
    return f"{time // 10**9}.{time % 10**9 // 1000:06}"


def _number(field: Field, record: bytes) -> int:
    return int.from_bytes(record[field.offset : field.offset + field.size], "big")
