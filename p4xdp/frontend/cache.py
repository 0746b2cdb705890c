"""What one compile leaves for the next: values of plain Python types in the user's cache directory.

A cache only saves time: whatever cannot be read is a miss, whatever cannot be written is let go.
The directory is `$P4XDP_CACHE_DIR`, or `p4xdp` under `$XDG_CACHE_HOME` or `~/.cache`; an empty
`P4XDP_CACHE_DIR` turns the cache off.
"""

from __future__ import annotations

import hashlib
import marshal
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

_DIGEST_SIZE = 32


def load(kind: str, key: str) -> Any | None:
    """Return the value that was stored under `kind` and `key`, or None."""
    place = _place(kind, key)
    if place is None:
        return None
    try:
        content = place.read_bytes()
        digest, body = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
        if hashlib.sha256(body).digest() != digest:
            return None
        return marshal.loads(body)
    except (OSError, ValueError, EOFError, TypeError):
        return None


def store(kind: str, key: str, value: Any) -> None:
    """Keep `value`; readers see all of it or nothing."""
    place = _place(kind, key)
    if place is None:
        return
    import tempfile

    body = marshal.dumps(value)
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(body).digest() + body)
            os.replace(name, place)
        except OSError:
            Path(name).unlink(missing_ok=True)


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
    return root / f"{kind}-{key}" if root else None
