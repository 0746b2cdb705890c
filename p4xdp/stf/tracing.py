"""How many packets a program aborted, as the kernel's tracepoint xdp:xdp_exception tells.

A device counts aborted and dropped packets together. A perf event counts the hits of the
tracepoint; it goes with its file descriptor, so nothing is left behind.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import platform
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

FSOPEN, FSCONFIG, FSMOUNT = 430, 431, 432
PERF_EVENT_OPEN = 298 if platform.machine() == "x86_64" else 241
"""System calls; the last has its own number on x86-64, everywhere else the common one."""

CMD_CREATE = 6
CLOEXEC = 1
ANY_PROCESS, NO_GROUP = -1, -1
PERF_CLOEXEC = 8
PERF_TRACEPOINT = 2
SET_FILTER = 0x40082406
ATTRIBUTES = struct.Struct("=IIQ48x")
"""The first version of struct perf_event_attr: type, size, config."""


class AbortedCount:
    """The events of all CPUs."""

    def __init__(self, events: list[int]) -> None:
        self._events = events
        self._seen = 0

    def is_new(self) -> bool:
        """Return whether the program aborted a packet since the last call."""
        before, self._seen = self._seen, self._count()
        return self._seen > before

    def _count(self) -> int:
        return sum(int.from_bytes(os.read(event, 8), "little") for event in self._events)


@contextmanager
def aborted_count(program_id: int) -> Iterator[AbortedCount | None]:
    """Count while the block runs; None where the kernel has no tracing or does not let us."""
    with ExitStack() as stack:
        events: list[int] = []
        try:
            tracepoint = _tracepoint_id("xdp/xdp_exception")
            for cpu in sorted(os.sched_getaffinity(0)):
                events.append(_open_event(tracepoint, cpu))
                stack.callback(os.close, events[-1])
                condition = f"prog_id == {program_id} && act == 0"
                fcntl.ioctl(events[-1], SET_FILTER, condition.encode() + b"\0")
        except OSError:
            events = []
        yield AbortedCount(events) if events else None


def _open_event(tracepoint: int, cpu: int) -> int:
    attributes = ATTRIBUTES.pack(PERF_TRACEPOINT, ATTRIBUTES.size, tracepoint)
    return _syscall(PERF_EVENT_OPEN, attributes, ANY_PROCESS, cpu, NO_GROUP, PERF_CLOEXEC)


def _tracepoint_id(name: str) -> int:
    """Read a tracepoint's number, on a mount of tracefs that only we see; raises OSError."""
    context = _syscall(FSOPEN, b"tracefs", CLOEXEC)
    try:
        _syscall(FSCONFIG, context, CMD_CREATE, None, None, 0)
        mount = _syscall(FSMOUNT, context, CLOEXEC, 0)
    finally:
        os.close(context)
    try:
        with open(os.open(f"events/{name}/id", os.O_RDONLY, dir_fd=mount)) as number:
            return int(number.read())
    finally:
        os.close(mount)


def _syscall(number: int, *arguments: int | bytes | None) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    whole = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result: int = libc.syscall(ctypes.c_long(number), *whole)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
