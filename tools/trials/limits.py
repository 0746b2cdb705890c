"""What every trial needs: a limit of time, and reasons that fit a line."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LONGEST_REASON = 160


class TooLong(Exception):
    """The trial took longer than it may."""


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raise TooLong when the block takes longer."""

    def stop(number: int, frame: object) -> None:
        raise TooLong

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def one_line(reason: str, folder: Path) -> str:
    """Return a reason without the place of `folder`, cut where it is long."""
    text = " ".join(reason.replace(f"{folder}/", "").split())
    return text if len(text) <= LONGEST_REASON else f"{text[:LONGEST_REASON]}..."
