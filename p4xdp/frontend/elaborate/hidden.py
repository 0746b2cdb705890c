"""Entries that never win, as one before them matches all that they match."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from p4xdp.midend import ir
from p4xdp.records import dataclass, field

MOST_RANGES = 256
"""How many entries with ranges are compared with those behind them, one by one."""

Masks = tuple[int | None, ...]
"""A mask for each key; None for a range."""


@dataclass(slots=True)
class Earlier:
    """The entries so far, by their masks, so that one look for each set of masks will do."""

    keys: Sequence[ir.Key]
    _by_masks: dict[Masks, dict[tuple[int, ...], ir.Entry]] = field(default_factory=dict)
    _ranged: list[ir.Entry] = field(default_factory=list)

    def add(self, entry: ir.Entry) -> None:
        masks = tuple(_mask(test) for test in entry.tests)
        if None not in masks:
            values = self._by_masks.setdefault(masks, {})
            values.setdefault(tuple(_value(test) for test in entry.tests), entry)
        elif len(self._ranged) < MOST_RANGES:
            self._ranged.append(entry)

    def hiding(self, entry: ir.Entry) -> ir.Entry | None:
        """Return an earlier entry that matches all that `entry` does."""
        for masks, values in self._by_masks.items():
            covered = _under(entry.tests, masks)
            if covered is not None and covered in values:
                return values[covered]
        return next((one for one in self._ranged if self._covers(one.tests, entry.tests)), None)

    def _covers(self, wide: Iterable[ir.Test], narrow: Iterable[ir.Test]) -> bool:
        return all(map(_includes, wide, narrow, self.keys))


def _mask(test: ir.Test) -> int | None:
    match test:
        case ir.AnyTest():
            return 0
        case ir.MaskTest(mask=mask):
            return mask
        case ir.RangeTest():
            return None


def _value(test: ir.Test) -> int:
    return test.value if isinstance(test, ir.MaskTest) else 0


def _under(tests: Sequence[ir.Test], masks: Masks) -> tuple[int, ...] | None:
    """Return the values of the tests under wider masks, None where one is not wider."""
    values = []
    for test, mask in zip(tests, masks, strict=True):
        own = _mask(test)
        if mask and (own is None or mask & ~own):
            return None
        values.append(_value(test) & (mask or 0))
    return tuple(values)


def _includes(wide: ir.Test, narrow: ir.Test, key: ir.Key) -> bool:
    match wide, narrow:
        case ir.AnyTest() | ir.MaskTest(mask=0), _:
            return True
        case ir.RangeTest(low=low, high=high), ir.RangeTest():
            return low <= narrow.low and narrow.high <= high
        case ir.RangeTest(low=low, high=high), ir.AnyTest():
            return low == 0 and high == (1 << key.width) - 1
        case ir.MaskTest(value=value, mask=mask), ir.MaskTest():
            return not mask & ~narrow.mask and narrow.value & mask == value
        case _:
            return False
