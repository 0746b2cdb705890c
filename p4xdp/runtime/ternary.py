"""Ternary tables in their maps: entries in order in, the bytes of half a table out, and back.

`description.TernaryLayout` says what these bytes are. `p4xdp_ternary.h` does the same in C.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from p4xdp.description import SLOT_DEPTH, Table, TernaryLayout
from p4xdp.records import dataclass

FACTOR = 0x9E3779B97F4A7C15
WORD = (1 << 64) - 1


class TooManyMasks(Exception):
    """The entries have more masks than the table has room for."""


def layout_of(table: Table) -> TernaryLayout:
    assert table.ternary is not None
    return table.ternary


def identity(table: Table, entry: bytes) -> bytes:
    """Return what no two entries have in common: what they match, and their priority."""
    return entry[: layout_of(table).priority_offset + 4]


def priority(table: Table, entry: bytes) -> int:
    (number,) = struct.unpack_from("=I", entry, layout_of(table).priority_offset)
    return int(number)


def entries_of(table: Table, half: bytes, count: int) -> list[bytes]:
    """Return the entries of a half, the greatest rank first, each with rank 0."""
    layout = layout_of(table)
    start, size, at = layout.entries_offset, layout.entry_size, layout.priority_offset + 4
    pieces = [half[start + i * size : start + (i + 1) * size] for i in range(count)]
    pieces.sort(key=lambda entry: struct.unpack_from("=I", entry, at), reverse=True)
    return [entry[:at] + bytes(4) + entry[at + 4 :] for entry in pieces]


def half_of(table: Table, entries: Sequence[bytes]) -> bytes:
    """Return the half that holds entries, which come in order; raises TooManyMasks."""
    layout = layout_of(table)
    at = layout.priority_offset + 4
    ranked = [
        entry[:at] + struct.pack("=I", len(entries) - i) + entry[at + 4 :]
        for i, entry in enumerate(entries)
    ]
    half = bytearray(layout.half_size)
    if layout.masks:
        ranked = _fill_masks(table, half, ranked)
    listed = b"".join(ranked)
    half[layout.entries_offset : layout.entries_offset + len(listed)] = listed
    return bytes(half)


# The search by masks


@dataclass(frozen=True, slots=True)
class _Record:
    """Entries that share a mask, by slot; `best` is their greatest rank."""

    mask: bytes
    best: int
    bits: int
    slots: list[list[bytes]]


def slot_hash(masked: bytes) -> int:
    """Return the 64-bit hash of a masked key, of which the highest bits choose a slot."""
    hash = 0
    for (word,) in struct.iter_unpack("=Q", masked):
        hash ^= word
        hash ^= hash >> 32
        hash = hash * FACTOR & WORD
    return hash


def _fill_masks(table: Table, half: bytearray, ranked: Sequence[bytes]) -> list[bytes]:
    """Fill in masks and slots; return the entries in the order of the slots."""
    layout = layout_of(table)
    records = sorted(_records(table, ranked), key=lambda record: -record.best)
    if len(records) > layout.masks:
        raise TooManyMasks
    masks: list[bytes] = []
    starts: list[int] = []
    entries: list[bytes] = []
    for record in records:
        numbers = (record.best, len(starts), 64 - record.bits, 0)
        masks.append(record.mask + struct.pack("=4I", *numbers))
        for slot in record.slots:
            starts.append(len(entries))
            entries += slot
    starts.append(len(entries))
    joined = b"".join(masks)
    half[: len(joined)] = joined
    struct.pack_into(f"={len(starts)}I", half, layout.slots_offset, *starts)
    return entries


def _records(table: Table, ranked: Sequence[bytes]) -> Iterator[_Record]:
    """Divide entries by masks, and what a slot does not hold into further records."""
    layout, size = layout_of(table), table.key_size
    groups: dict[bytes, list[bytes]] = {}
    for entry in ranked:
        groups.setdefault(entry[layout.mask_offset :][:size], []).append(entry)
    room = layout.slots
    waiting: list[tuple[bytes, list[bytes]]] = []
    for mask, group in groups.items():
        record, rest = _record(table, mask, group, room)
        room -= len(record.slots)
        if rest:
            waiting.append((mask, rest))
        yield record
    left = sum(len(rest) for _, rest in waiting)
    while waiting:
        mask, group = waiting.pop()
        # each of the others may need a record of its own, with the least number of slots
        record, rest = _record(table, mask, group, room - 2 * (left - 1))
        room -= len(record.slots)
        left -= len(group) - len(rest)
        if rest:
            waiting.append((mask, rest))
        yield record


def _record(
    table: Table, mask: bytes, group: list[bytes], room: int
) -> tuple[_Record, list[bytes]]:
    """Put a group into at most `room` slots, twice as many as keys; return what is left over."""
    layout, size = layout_of(table), table.key_size
    keys = {entry[:size] for entry in group}
    bits = max(1, min((2 * len(keys) - 1).bit_length(), room.bit_length() - 1))
    number = {key: slot_hash(key) >> (64 - bits) for key in keys}
    slots: list[list[bytes]] = [[] for _ in range(1 << bits)]
    rest = []
    for entry in group:
        slot = slots[number[entry[:size]]]
        if len(slot) < SLOT_DEPTH:
            slot.append(entry)
        else:
            rest.append(entry)
    (best,) = struct.unpack_from("=I", group[0], layout.priority_offset + 4)
    return _Record(mask, best, bits, slots), rest
