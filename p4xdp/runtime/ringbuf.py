"""A BPF ring buffer, read through libbpf: records come out as `bytes`, in their order.

A record is what the program submitted, without the kernel's header and padding.
"""

from __future__ import annotations

import ctypes
import errno as codes
import select
from collections import deque

from p4xdp.runtime import capi
from p4xdp.runtime.closing import Closing
from p4xdp.runtime.libbpf import BpfError, BpfMap
from p4xdp.signals import held

LONGEST_WAIT = 1_000_000.0
"""Seconds that a read waits at most, some days: the kernel takes a number of 32 bits."""


class RingBuffer(Closing):
    """The reading end of a ring buffer map, of which there should be one: what one reader takes, no
    other one sees. The map may be closed meanwhile, not the reader."""

    def __init__(self, ring: BpfMap) -> None:
        """Map the buffer; raises BpfError."""
        self._records: deque[bytes] = deque()
        self._callback = capi.RING_SAMPLE(self._take)
        functions = capi.library().functions
        handle = functions.ring_buffer__new(ring.fd, self._callback, None, None)
        if not handle:
            raise BpfError(ctypes.get_errno() or codes.EINVAL, f"read {ring.info.name}")
        self._handle: int | None = handle

    @property
    def fd(self) -> int:
        """A file descriptor that can be polled: it is readable when records wait."""
        return int(capi.library().functions.ring_buffer__epoll_fd(self._opened()))

    def read(self, timeout: float | None = 0.0) -> tuple[bytes, ...]:
        """Return the records that wait, after at most `timeout` seconds for the first (None: as
        long as it takes); none when the time is over. Raises BpfError."""
        found = self._consumed()
        if not found and timeout != 0:
            waiting = select.poll()
            waiting.register(self.fd, select.POLLIN)
            waiting.poll(None if timeout is None else 1000 * min(timeout, LONGEST_WAIT))
            found = self._consumed()
        return found

    def _consumed(self) -> tuple[bytes, ...]:
        with held():  # what a handler raises while libbpf calls back is lost
            code = capi.library().functions.ring_buffer__consume(self._opened())
        if code < 0:
            raise BpfError(-code, "read a ring buffer")
        found = tuple(self._records)
        self._records.clear()
        return found

    def _take(self, _context: int, data: int, size: int) -> int:
        self._records.append(ctypes.string_at(data, size))
        return 0

    def _opened(self) -> int:
        if self._handle is None:
            raise ValueError("it is closed")
        return self._handle

    def close(self) -> None:
        if self._handle is not None:
            capi.library().functions.ring_buffer__free(self._handle)
            self._handle = None
