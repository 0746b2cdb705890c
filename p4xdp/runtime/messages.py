"""Messages from programs to user space: records of the ring buffer in, what they say out."""

from __future__ import annotations

import json
import struct

from p4xdp.description import Description, Field
from p4xdp.records import asdict, dataclass

HEAD = struct.Struct("=HHIQ")
"""A `struct p4xdp_message`: kind, number, receiver, time."""

DIGEST = 1


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


Message = Digest


def decode(description: Description, record: bytes) -> Message:
    """Return what a record says; raises MessageError."""
    if len(record) < HEAD.size:
        raise MessageError(f"a record of {len(record)} bytes is no message")
    kind, number, receiver, time = HEAD.unpack_from(record)
    if kind != DIGEST or number >= len(description.digests):
        raise MessageError(f"a message of kind {kind}, number {number} is not known")
    digest = description.digests[number]
    if len(record) < digest.size:
        raise MessageError(f"a digest `{digest.name}` of {len(record)} bytes is cut off")
    fields = {field.name: _number(field, record) for field in digest.fields}
    return Digest(digest.name, receiver, fields, time)


def text_of(message: Message) -> str:
    """Return a line for people."""
    fields = " ".join(f"{name}={_shown(value)}" for name, value in message.fields.items())
    return f"{_seconds(message.time)} digest {message.name} to {message.receiver}: {fields}"


def json_of(message: Message) -> str:
    """Return a JSON object, in one line; `time` is in nanoseconds of the monotonic clock."""
    return json.dumps({"kind": "digest", **asdict(message)})


def _shown(value: int) -> str:
    return str(value) if value < 10 else f"{value:#x}"


def _seconds(time: int) -> str:
    return f"{time // 10**9}.{time % 10**9 // 1000:06}"


def _number(field: Field, record: bytes) -> int:
    return int.from_bytes(record[field.offset : field.offset + field.size], "big")
