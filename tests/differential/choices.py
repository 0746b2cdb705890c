"""Decisions of a generator as a list of numbers, so that a case can be repeated and made smaller.

A generator asks for one number after the other. What it was given is kept; given again, it makes
the same case. Smaller numbers and shorter lists make smaller cases, so a failing case shrinks
without any knowledge of what it is made of.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import TypeVar

Item = TypeVar("Item")

SMALL = 16
"""Up to this size, pieces of every size are tried."""


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
    search = _Search(list(taken), fails, time.monotonic() + seconds)
    before: list[int] = []
    while before != search.best and not search.is_over:
        before = search.best
        search.leave_out()
        search.clear()
        search.lessen()
    return search.best


def shrink_text(text: str, fails: Callable[[str], bool], seconds: float) -> str:
    """Return a text that still fails, without the lines that it does not need.

    What goes is a line or all lines from one to that where the braces are balanced again.
    """
    deadline = time.monotonic() + seconds
    lines = text.splitlines()
    before = 0
    while before != len(lines):
        before = len(lines)
        at = len(lines) - 1
        while at >= 0 and time.monotonic() < deadline:
            end = _balanced(lines, at)
            rest = lines[:at] + lines[end:]
            if end > at and fails("\n".join(rest)):
                lines = rest
            at = min(at, len(lines)) - 1
    return "\n".join(lines) + "\n"


def _balanced(lines: list[str], start: int) -> int:
    """Return where the braces that line `start` opens are closed; `start` when it closes some."""
    depth = 0
    for at in range(start, len(lines)):
        for letter in lines[at]:
            depth += {"{": 1, "}": -1}.get(letter, 0)
            if depth < 0:
                return start
        if depth == 0:
            return at + 1
    return start


class _Search:
    def __init__(
        self, best: list[int], fails: Callable[[list[int]], list[int] | None], deadline: float
    ) -> None:
        self.best = best
        self._fails = fails
        self._deadline = deadline

    @property
    def is_over(self) -> bool:
        return time.monotonic() > self._deadline

    def leave_out(self) -> None:
        """Leave out pieces, large ones first."""
        for size, start in self._pieces():
            self._try(self.best[:start] + self.best[start + size :])

    def clear(self) -> None:
        """Set pieces to 0."""
        for size, start in self._pieces():
            zeros = [0] * len(self.best[start : start + size])
            self._try(self.best[:start] + zeros + self.best[start + size :])

    def lessen(self) -> None:
        """Make single numbers smaller."""
        for at in reversed(range(len(self.best))):
            for less in (lambda n: n // 2, lambda n: n - 1):
                while at < len(self.best) and self.best[at] > 0:
                    changed = [*self.best[:at], less(self.best[at]), *self.best[at + 1 :]]
                    if not self._try(changed):
                        break

    def _pieces(self) -> Iterator[tuple[int, int]]:
        """Yield sizes and starts from the end on, as far as the list reaches by then."""
        size = max(1, len(self.best) // 2)
        while size:
            start = len(self.best) - size
            while start >= 0:
                yield size, start
                start = min(start, len(self.best)) - size
            size = size // 2 if size > SMALL else size - 1

    def _try(self, candidate: list[int]) -> bool:
        if self.is_over or candidate == self.best:
            return False
        got = self._fails(candidate)
        if got is None or _size(got) >= _size(self.best):
            return False
        self.best = got
        return True


def _size(numbers: Sequence[int]) -> tuple[int, int]:
    return len(numbers), sum(numbers)
