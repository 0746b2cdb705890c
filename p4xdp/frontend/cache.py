"""What one compile leaves for the next: values of plain Python types in the user's cache directory.

A cache only saves time: whatever cannot be read is a miss, whatever cannot be written is let go.
The directory is `$P4XDP_CACHE_DIR`, or `p4xdp` under `$XDG_CACHE_HOME` or `~/.cache`; an empty
`P4XDP_CACHE_DIR` turns the cache off. What is stored may be code, so only files that belong to the
user and that nobody else may write are read, in a shared directory too.
"""

from __future__ import annotations

import marshal
import os
import stat
from contextlib import suppress
from importlib.util import source_hash
from pathlib import Path
from typing import Any

_DIGEST_SIZE = 8
_MODE = 0o600


def digest(content: bytes) -> str:
    """Return a name for a content, of 16 characters; it tells contents apart, no more."""
    return source_hash(content).hex()


def load(kind: str, key: str) -> Any | None:
    """Return the value that was stored under `kind` and `key`, or None."""
    place = _place(kind, key)
    if place is None:
        return None
    try:
        content = _own_content(place)
        check, body = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
        if source_hash(body) != check:
            return None
        return marshal.loads(body)
    except (OSError, ValueError, EOFError, TypeError):
        return None


def _own_content(place: Path) -> bytes:
    """Return a file's content; raises OSError unless it is the user's own and nobody else's."""
    handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        others = stat.S_IWGRP | stat.S_IWOTH
        is_own = status.st_uid == os.geteuid() and not status.st_mode & others
        if not (is_own and stat.S_ISREG(status.st_mode)):
            raise PermissionError(f"{place} is not the user's own")
        return file.read()


def store(kind: str, key: str, value: Any) -> None:
    """Keep `value`; readers see all of it or nothing."""
    place = _place(kind, key)
    if place is None:
        return
    body = marshal.dumps(value)
    temporary = place.with_name(f".{place.name}.{os.urandom(6).hex()}")
    with suppress(OSError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(temporary, flags, _MODE)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(source_hash(body) + body)
            os.replace(temporary, place)
        except OSError:
            temporary.unlink(missing_ok=True)


def _place(kind: str, key: str) -> Path | None:
    named = os.environ.get("P4XDP_CACHE_DIR")
    if named is not None:
        root = Path(named) if named else None
    elif home := os.environ.get("XDG_CACHE_HOME"):
        root = Path(home) / "p4xdp"
    else:
        try:
            root = Path.home() / ".cache" / "p4xdp"
        except RuntimeError:
            root = None
    return root / f"{kind}-{key}-{os.geteuid()}" if root else None
