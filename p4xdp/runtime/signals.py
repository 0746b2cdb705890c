"""Work that a signal must not cut in two, and work that it must undo."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
TERMINATED = 128 + signal.SIGTERM


@contextmanager
def held() -> Iterator[None]:
    """Let signals that would stop the process wait for the end of the block.

    Masking them would not do: another thread may take them, and Python still runs the handler
    in this one.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []
    before = {stopping: signal.getsignal(stopping) for stopping in STOPPING}
    for stopping in STOPPING:
        signal.signal(stopping, lambda number, _: waiting.append(number))
    try:
        yield
    finally:
        for stopping, handler in before.items():
            signal.signal(stopping, handler)
        for number in waiting:
            signal.raise_signal(number)


@contextmanager
def undone_on_failure() -> Iterator[ExitStack]:
    """Give a stack of steps that are undone when the block fails, is interrupted or terminated."""
    with ExitStack() as stack, _termination_raises():
        try:
            yield stack
        except BaseException:
            with held():
                stack.close()
            raise
        stack.pop_all()


@contextmanager
def _termination_raises() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(TERMINATED)
