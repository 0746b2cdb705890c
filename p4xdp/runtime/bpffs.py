"""The BPF file system: where it is, from inside a network namespace as well."""

from __future__ import annotations

import ctypes
import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path

from p4xdp.diagnostics import CompileError, fail

MOUNT = Path("/sys/fs/bpf")
MAGIC = 0xCAFE4A11


def is_bpffs(path: Path) -> bool:
    """Say whether a BPF file system is at `path`."""
    room = ctypes.create_string_buffer(256)
    if ctypes.CDLL(None).statfs(os.fsencode(path), room) != 0:
        return False
    return bool(struct.unpack_from("l", room.raw)[0] == MAGIC)


def find() -> Path | None:
    """Return the BPF file system, None when there is none.

    `ip netns exec` hides it behind a fresh /sys that ends with the process; it is then reached
    through the processes that this one comes from.
    """
    if is_bpffs(MOUNT):
        return MOUNT
    for ancestor in _ancestors():
        path = Path(f"/proc/{ancestor}/root{MOUNT}")
        if is_bpffs(path):
            return path
    return None


def shown(path: Path) -> str:
    """Return a path in the BPF file system as a login shell sees it."""
    return re.sub(rf"^/proc/\d+/root(?={MOUNT})", "", str(path))


def need() -> Path:
    """Return the BPF file system, mounted now if it was not; raises CompileError
    (`no-bpffs`)."""
    found = find()
    if found:
        return found
    if _mount_namespace("self") != _mount_namespace(str(os.getppid())):
        raise _no_bpffs("it would end with this process, which has mounts of its own")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"bpf", os.fsencode(MOUNT), b"bpf", 0, None) != 0:
        raise _no_bpffs(os.strerror(ctypes.get_errno()))
    return MOUNT


def _no_bpffs(reason: str) -> CompileError:
    return fail(
        "no-bpffs",
        None,
        f"no BPF file system at {MOUNT}, and it cannot be mounted: {reason}",
        help=f"mount it from a login shell: `sudo mount -t bpf bpf {MOUNT}`",
    )


def _ancestors() -> Iterator[int]:
    pid = os.getppid()
    while pid > 0:
        yield pid
        pid = _parent(pid)


def _parent(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0
    return int(text.rpartition(")")[2].split()[1])


def _mount_namespace(pid: str) -> str:
    try:
        return os.readlink(f"/proc/{pid}/ns/mnt")
    except OSError:
        return ""
