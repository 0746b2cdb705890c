"""Decisions of a generator as a list of numbers, so that a case can be repeated and made smaller.

A generator asks for one number after the other. What it was given is kept; given again, it makes
the same case. Smaller numbers and shorter lists make smaller cases, so a failing case shrinks
without any knowledge of what it is made of.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

Item = TypeVar("Item")


class Choices:
    """Numbers first from `given`, then from `random`, or 0 when there is none."""

    def __init__(self, given: Sequence[int] = (), random: Random | None = None) -> None:
        self._given = given
        self._random = random
        self.taken: list[int] = []

    def below(self, limit: int) -> int:
        """Return a number from 0 to `limit` - 1."""
        at = len(self.taken)
        if at < len(self._given):
            value = min(self._given[at], limit - 1)
        else:
            value = self._random.randrange(limit) if self._random else 0
        self.taken.append(value)
        return value

    def between(self, low: int, high: int) -> int:
        return low + self.below(high - low + 1)

    def chance(self, percent: int) -> bool:
        """Return True so often; in a shrunk case, False."""
        return self.below(100) >= 100 - percent

    def of(self, items: Sequence[Item]) -> Item:
        return items[self.below(len(items))]


def shrink(
    taken: Sequence[int], fails: Callable[[list[int]], list[int] | None], seconds: float
) -> list[int]:
    """Return a smaller list that still fails.

    `fails` makes the case of a list; it returns the numbers that the case really took when it
    fails in the same way, else None.
    """
    deadline = time.monotonic() + seconds
    best = list(taken)
    improved = True
    while improved and time.monotonic() < deadline:
        improved = False
        for candidate in _candidates(best):
            if time.monotonic() > deadline:
                break
            got = fails(candidate)
            if got is not None and _size(got) < _size(best):
                best, improved = got, True
                break
    return best


def _size(numbers: Sequence[int]) -> tuple[int, int]:
    return len(numbers), sum(numbers)


def _candidates(best: list[int]) -> list[list[int]]:
    """Return smaller lists, the most promising first: pieces left out, set to 0, halved."""
    found = []
    size = max(1, len(best) // 2)
    while size:
        for start in range(0, len(best), size):
            found.append(best[:start] + best[start + size :])
        size //= 2
    size = max(1, len(best) // 4)
    while size:
        for start in range(0, len(best), size):
            piece = best[start : start + size]
            if any(piece):
                found.append(best[:start] + [0] * len(piece) + best[start + size :])
        size //= 2
    for at, value in enumerate(best):
        if value > 1:
            found.append([*best[:at], value // 2, *best[at + 1 :]])
            found.append([*best[:at], value - 1, *best[at + 1 :]])
    return found
