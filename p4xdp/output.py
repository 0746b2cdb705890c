"""Files that appear whole or not at all.

A device or a pipe, as `/dev/null`, is written to and never replaced.
"""

from __future__ import annotations

import errno as codes
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from p4xdp.diagnostics import CompileError, fail


def write_files(contents: Mapping[Path, str | bytes]) -> None:
    """Write every file, or, when one cannot be written, none.

    Each goes to a temporary file in its own directory first. Raises CompileError
    (`cannot-write`) naming the file and the system's reason.
    """
    written: list[tuple[str, Path]] = []
    streams = [path for path in contents if is_stream(path)]
    path = Path()
    try:
        for path, content in contents.items():
            if path not in streams:
                written.append((_write_temporary(path, content), path))
        while written:
            temporary, path = written[0]
            os.replace(temporary, path)
            written.pop(0)
        for path in streams:
            path.write_bytes(_bytes(contents[path]))
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        for temporary, _ in written:
            os.unlink(temporary)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Give a stream for a large file, which appears at `path` when the block ends well.

    Raises CompileError (`cannot-write`) when it cannot be opened or kept.
    """
    try:
        if os.path.isdir(path):
            raise IsADirectoryError(codes.EISDIR, "it is a directory")
        if is_stream(path):
            with path.open("wb") as stream:
                yield stream
            return
        handle, name = _new_file(path)
    except OSError as error:
        raise cannot_write(path, error) from error
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            try:
                stream.flush()
            except OSError as error:
                raise cannot_write(path, error) from error
        try:
            os.replace(name, path)
        except OSError as error:
            raise cannot_write(path, error) from error
    except BaseException:
        os.unlink(name)
        raise


def is_stream(path: Path) -> bool:
    """Tell whether the path leads to a device or a pipe."""
    return os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))


def refuse_overwriting(inputs: Iterable[Path | None], outputs: Iterable[Path]) -> None:
    """Raise CompileError (`cannot-write`) when an output has no name or no directory, or is one of
    the inputs."""
    given = [path for path in inputs if path is not None and os.path.exists(path)]
    for output in outputs:
        if not output.name:
            raise cannot_write(output, IsADirectoryError(codes.EISDIR, "it is a directory"))
        if not os.path.exists(output.parent):
            reason = f"there is no directory {output.parent}"
            raise cannot_write(output, FileNotFoundError(codes.ENOENT, reason))
        if not os.path.isfile(output):
            continue
        for path in given:
            if os.path.samefile(path, output):
                text = f"`{output}` would be overwritten: name another file with -o"
                raise fail("cannot-write", None, text)


def cannot_write(path: Path, error: OSError) -> CompileError:
    """Return the error (`cannot-write`) for what the system says of writing to `path`."""
    return fail(
        "cannot-write", None, f"cannot write {path}: {error.strerror}", help=_way(error, path)
    )


def _way(error: OSError, path: Path) -> str | None:
    """Return what to do about a failed write, None where that is plain."""
    match error.errno:
        case codes.ENOENT if not os.path.exists(path.parent):
            return f"make its directory first: `mkdir -p {shlex.quote(str(path.parent))}`"
        case codes.EISDIR if path.name:
            return f"name a file in it: `-o {shlex.quote(str(path / 'NAME'))}`"
        case codes.ENOSPC | codes.EDQUOT:
            return "make room on that file system, or name a file on another with `-o`"
        case codes.EACCES | codes.EPERM | codes.EROFS:
            return "name a file with `-o` where you may write"
        case _:
            return "name another file with `-o`"


def _write_temporary(path: Path, content: str | bytes) -> str:
    if os.path.isdir(path):
        raise IsADirectoryError(codes.EISDIR, "it is a directory")
    handle, name = _new_file(path)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(_bytes(content))
    except BaseException:
        os.unlink(name)
        raise
    return name


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _new_file(path: Path) -> tuple[int, str]:
    """Open a new file beside `path`; return the handle and the name."""
    name = str(path.with_name(f".{path.name}.{os.urandom(6).hex()}"))
    return os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), name
