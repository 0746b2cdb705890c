"""Which packets a program aborted, as the kernel's tracepoint xdp:xdp_exception tells.

A device counts aborted and dropped packets together. The kernel's trace files are opened on a
mount that only this process sees.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

FSOPEN, FSCONFIG, FSMOUNT = 430, 431, 432
CMD_CREATE = 6
CLOEXEC = 1
BUFFER_KIB = "64"


class AbortedLog:
    """The log of one tracing instance; `directory` is its file descriptor."""

    def __init__(self, directory: int, program_id: int) -> None:
        self._directory = directory
        self._line = f"prog_id={program_id} action=ABORTED"
        self._seen = 0

    def is_new(self) -> bool:
        """Return whether the program aborted a packet since the last call."""
        before, self._seen = self._seen, self._count()
        return self._seen > before

    def _count(self) -> int:
        with open(os.open("trace", os.O_RDONLY, dir_fd=self._directory)) as log:
            return sum(self._line in line for line in log)


@contextmanager
def aborted_log(program_id: int) -> Iterator[AbortedLog | None]:
    """Log while the block runs; None where the kernel has no tracing or does not let us."""
    try:
        instances = _instances()
    except OSError:
        yield None
        return
    name = f"p4xdp-{os.getpid()}-{program_id}"
    try:
        try:
            directory = _new_instance(instances, name)
        except OSError:
            yield None
            return
        try:
            yield AbortedLog(directory, program_id)
        finally:
            _write(directory, "events/xdp/xdp_exception/enable", "0")
            os.close(directory)
            with suppress(OSError):
                os.rmdir(name, dir_fd=instances)
    finally:
        os.close(instances)


def _new_instance(instances: int, name: str) -> int:
    os.mkdir(name, dir_fd=instances)
    try:
        directory = os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=instances)
        _write(directory, "buffer_size_kb", BUFFER_KIB)
        _write(directory, "events/xdp/xdp_exception/enable", "1")
    except OSError:
        os.rmdir(name, dir_fd=instances)
        raise
    return directory


def _write(directory: int, name: str, text: str) -> None:
    with open(os.open(name, os.O_WRONLY, dir_fd=directory), "w") as stream:
        stream.write(text)


def _instances() -> int:
    """Return a file descriptor of tracefs' directory of instances; raises OSError."""
    context = _syscall(FSOPEN, b"tracefs", CLOEXEC)
    try:
        _syscall(FSCONFIG, context, CMD_CREATE, None, None, 0)
        mount = _syscall(FSMOUNT, context, CLOEXEC, 0)
    finally:
        os.close(context)
    try:
        return os.open("instances", os.O_RDONLY | os.O_DIRECTORY, dir_fd=mount)
    finally:
        os.close(mount)


def _syscall(number: int, *arguments: int | bytes | None) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    result: int = libc.syscall(number, *arguments)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
