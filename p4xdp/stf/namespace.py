"""Network namespaces without names: one lives while somebody holds it, so none is left behind."""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

from p4xdp.stf.place import PlaceMissing

CLONE_NEWNET = 0x40000000
OWN = "/proc/thread-self/ns/net"


def _call(name: str, *arguments: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


class Namespace:
    """A network namespace with nothing in it but a loopback device that is down."""

    def __init__(self) -> None:
        """Make it; raises PlaceMissing without the right to."""
        before = os.open(OWN, os.O_RDONLY | os.O_CLOEXEC)
        try:
            _call("unshare", CLONE_NEWNET)
        except OSError as error:
            os.close(before)
            if error.errno == errno.EPERM:
                text = "no right to make network namespaces: run as root"
                raise PlaceMissing(text) from error
            raise PlaceMissing(f"no network namespaces here: {error.strerror}") from error
        try:
            self.fd = os.open(OWN, os.O_RDONLY | os.O_CLOEXEC)
        finally:
            _call("setns", before, CLONE_NEWNET)
            os.close(before)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Let this thread be in the namespace while the block runs."""
        before = os.open(OWN, os.O_RDONLY | os.O_CLOEXEC)
        _call("setns", self.fd, CLONE_NEWNET)
        try:
            yield
        finally:
            _call("setns", before, CLONE_NEWNET)
            os.close(before)

    def close(self) -> None:
        os.close(self.fd)


def silence() -> None:
    """Keep IPv6 of the namespace that this thread is in from sending anything by itself."""
    for scope in ("all", "default"):
        try:
            with open(f"/proc/sys/net/ipv6/conf/{scope}/disable_ipv6", "w") as setting:
                setting.write("1")
        except FileNotFoundError:  # a kernel without IPv6
            return
