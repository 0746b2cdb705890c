"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from p4xdp.diagnostics import fail


def write_files(contents: Mapping[Path, str | bytes]) -> None:
    """Write every file, or, when one cannot be written, none.

    Each goes to a temporary file in its own directory first. Raises CompileError
    (`cannot-write`) naming the file and the system's reason.
    """
    written: list[tuple[str, Path]] = []
    path = Path()
    try:
        for path, content in contents.items():
            written.append((_write_temporary(path, content), path))
        while written:
            temporary, path = written[0]
            os.replace(temporary, path)
            written.pop(0)
    except OSError as error:
        raise fail("cannot-write", None, f"cannot write {path}: {error.strerror}") from error
    finally:
        for temporary, _ in written:
            os.unlink(temporary)


def _write_temporary(path: Path, content: str | bytes) -> str:
    data = content.encode() if isinstance(content, str) else content
    if path.is_dir():
        raise IsADirectoryError(21, "it is a directory")
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(name, 0o666 & ~_umask())
    except BaseException:
        os.unlink(name)
        raise
    return name


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
