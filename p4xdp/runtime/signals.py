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
    """Deliver signals that would stop the process only after the block."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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
