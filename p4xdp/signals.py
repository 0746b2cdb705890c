"""Work that a signal must not cut in two, work that it must undo, and how it ends the process.

Only the main thread of a process has to do with signals; in others nothing is changed here.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
A_MOMENT = 0.001
"""In seconds."""

TERMINATED = 128 + signal.SIGTERM


class Stopped(BaseException):
    """A signal ends the process: what is under way cleans up."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.status = 128 + number
        """The exit status that shells have for it: 130 for SIGINT, 143 for SIGTERM."""


def status_of(run: Callable[[], int], *, last: bool = False) -> int:
    """Return what `run` returns, or the status of the signal that stopped it.

    The first signal raises Stopped in `run`; the others are ignored while that cleans up. A
    signal that the process was started to ignore stays ignored. If this is the `last` thing that
    the process does, signals that come after it change nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        return run()
    stopping = _Stopping()
    try:
        stopping.arm()
        return run()
    except Stopped as stopped:
        return stopped.status
    finally:
        stopping.disarm(last=last)


class _Stopping:
    """The handlers of signals that stop a process, and what was there before.

    Python drops what is raised in the callback of a weak reference or while an object is finalized,
    and import makes such callbacks: then the signal comes once more, a moment later.
    """

    def __init__(self) -> None:
        self._before = {one: signal.getsignal(one) for one in STOPPING}
        self._numbers = [one for one in STOPPING if self._before[one] is not signal.SIG_IGN]
        self._hook_before = sys.unraisablehook

    def arm(self) -> None:
        sys.unraisablehook = self._dropped
        for one in self._numbers:
            signal.signal(one, self._stop)

    def disarm(self, *, last: bool) -> None:
        for one in self._numbers:
            signal.signal(one, signal.SIG_IGN if last else self._before[one])
        sys.unraisablehook = self._hook_before

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        for one in self._numbers:
            signal.signal(one, signal.SIG_IGN)
        raise Stopped(number)

    def _dropped(self, what: sys.UnraisableHookArgs) -> None:
        if not isinstance(what.exc_value, Stopped):
            self._hook_before(what)
            return
        number = what.exc_value.status - 128
        for one in self._numbers:
            signal.signal(one, self._stop)
        signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(number))
        signal.setitimer(signal.ITIMER_REAL, A_MOMENT)


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
    before = signal.getsignal(signal.SIGTERM)
    if before is not signal.SIG_DFL:  # somebody sees to it already
        yield
        return
    signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(TERMINATED)
