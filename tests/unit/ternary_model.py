"""How a packet searches half of a ternary table, as `description.TernaryLayout` says it."""

from __future__ import annotations

import struct

from p4xdp.description import SLOT_DEPTH, Table
from p4xdp.runtime import ternary


def lookup(table: Table, half: bytes, key: bytes) -> tuple[bytes | None, int]:
    """Return the entry that a packet's key meets, and how many masks it had to try."""
    layout = ternary.layout_of(table)
    size = table.key_size
    best, found, tried = 0, None, 0
    for number in range(layout.masks):
        at = number * (size + 16)
        mask = half[at : at + size]
        greatest, first_slot, shift, pad = struct.unpack_from("=4I", half, at + size)
        assert pad == 0
        if greatest <= best:
            break
        tried += 1
        masked = bytes(a & b for a, b in zip(key, mask, strict=True))
        slot = first_slot + (ternary.slot_hash(masked) >> shift)
        first, end = struct.unpack_from("=2I", half, layout.slots_offset + 4 * slot)
        assert end - first <= SLOT_DEPTH
        for index in range(first, end):
            entry = half[layout.entries_offset + index * layout.entry_size :][: layout.entry_size]
            if entry[:size] == masked and in_ranges(table, entry, key):
                rank = rank_of(table, entry)
                assert rank <= greatest
                if rank > best:
                    best, found = rank, entry
                break
    return found, tried


def rank_of(table: Table, entry: bytes) -> int:
    (rank,) = struct.unpack_from("=I", entry, ternary.layout_of(table).priority_offset + 4)
    return int(rank)


def in_ranges(table: Table, entry: bytes, key: bytes) -> bool:
    layout = ternary.layout_of(table)
    for field in table.keys:
        if field.match == "range":
            assert layout.range_offset is not None
            place = slice(field.offset, field.offset + field.size)
            low = entry[layout.range_offset :][place]
            high = entry[layout.range_offset + table.key_size :][place]
            if not low <= key[place] <= high:
                return False
    return True
