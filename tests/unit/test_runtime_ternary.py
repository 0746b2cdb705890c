"""Ternary tables as bytes: whatever the entries, a packet meets the one that comes first."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import pytest
from hypothesis import given, settings, strategies as st
from ternary_model import in_ranges, lookup

from p4xdp.description import SLOT_DEPTH, ActionChoice, Field, Table, TernaryLayout
from p4xdp.runtime import ternary

SIZE, MASKS, SLOTS = 70, 80, 512
ENTRY = 4 * 8 + 8 + 8
SLOTS_AT = MASKS * 24
ENTRIES_AT = SLOTS_AT + 4 * (SLOTS + 2)
LAYOUT = TernaryLayout(
    state_map="acl_state",
    mask_offset=8,
    priority_offset=32,
    value_offset=40,
    entry_size=ENTRY,
    range_offset=16,
    half_size=ENTRIES_AT + (SIZE + SLOT_DEPTH) * ENTRY,
    entries_offset=ENTRIES_AT,
    masks=MASKS,
    slots=SLOTS,
    slots_offset=SLOTS_AT,
)
TABLE = Table(
    name="acl",
    c_name="acl",
    kind="ternary",
    map="acl",
    size=SIZE,
    keys=(Field("a", "a", 32, 0, 4, "ternary"), Field("b", "b", 16, 4, 2, "range")),
    key_size=8,
    value_size=8,
    actions=(),
    default=ActionChoice(0, ()),
    default_map=None,
    ternary=LAYOUT,
)


def entry(number: int, value: int, mask: int, low: int, high: int) -> bytes:
    fields = struct.pack(">IHxx", value & mask, 0) + struct.pack(">IHxx", mask, 0)
    ends = struct.pack(">IHxx", 0, low) + struct.pack(">IHxx", 0, high)
    return fields + ends + struct.pack("=4I", number, 0, number, 0)


def first(entries: Sequence[bytes], key: bytes) -> int | None:
    """Return the number of the first entry that fits."""
    for number, one in enumerate(entries):
        masked = bytes(a & b for a, b in zip(key, one[8:16], strict=True))
        if masked == one[:8] and in_ranges(TABLE, one, key):
            return number
    return None


def check(entries: Sequence[bytes], keys: Sequence[bytes]) -> None:
    half = ternary.half_of(TABLE, entries)
    assert len(half) == LAYOUT.half_size
    for key in keys:
        found, _ = lookup(TABLE, half, key)
        number = None if found is None else struct.unpack_from("=I", found, 40)[0]
        assert number == first(entries, key)
    assert ternary.entries_of(TABLE, half, len(entries)) == list(entries)


SMALL = st.integers(0, 7)
RULES = st.lists(
    st.tuples(SMALL, st.sampled_from((0, 1, 3, 6, 7, 0xFFFFFFFF)), SMALL, SMALL), max_size=SIZE
)
KEYS = [struct.pack(">IHxx", a, b) for a in range(8) for b in range(8)]


@settings(max_examples=60, deadline=None)
@given(RULES)
def test_the_first_that_fits_is_found(rules: list[tuple[int, int, int, int]]) -> None:
    entries = [
        entry(number, value, mask, min(low, high), max(low, high))
        for number, (value, mask, low, high) in enumerate(rules)
    ]
    check(entries, KEYS)


@pytest.mark.parametrize("count", [0, 1, SLOT_DEPTH, SLOT_DEPTH + 1, SIZE])
def test_many_entries_of_one_key_share_a_slot_and_more_records(count: int) -> None:
    check([entry(n, 3, 7, n % 8, 7) for n in range(count)], KEYS)


def test_as_many_masks_as_entries_find_room() -> None:
    entries = [entry(n, 0xFFFFFFFF, n << 8 | 7, 0, 7) for n in range(SIZE)]
    check(entries, [*KEYS, struct.pack(">IHxx", 0xFFFFFFFF, 2)])


def test_keys_that_all_fall_into_one_slot_find_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ternary, "slot_hash", lambda masked: 5 << 61)
    check([entry(n, n, 0xFFFFFFFF, 0, 7) for n in range(SIZE)], KEYS)


def test_masks_behind_a_better_entry_are_not_tried() -> None:
    entries = [entry(n, 5, 0xFFFFFFFF >> n, 0, 7) for n in range(20)]
    half = ternary.half_of(TABLE, entries)
    _, tried = lookup(TABLE, half, struct.pack(">IHxx", 5, 0))
    assert tried == 1
    _, tried = lookup(TABLE, half, struct.pack(">IHxx", 0x80000005, 0))
    assert tried == 2


def test_one_mask_too_many_is_refused() -> None:
    entries = [entry(n, 0xFFFFFFFF, n << 8 | 7, 0, 7) for n in range(MASKS + 1)]
    with pytest.raises(ternary.TooManyMasks):
        ternary.half_of(TABLE, entries)
