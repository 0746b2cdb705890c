"""Files that appear whole or not at all, and directories that are gone afterwards.

A device or a pipe, as `/dev/null`, is written to and never replaced; nor is what is open already
and has a name of the system's, as `/dev/stdout`, wherever it leads.
"""

from __future__ import annotations

import errno as codes
import fcntl
import os
import shlex
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO

from p4xdp.diagnostics import CompileError, fail
from p4xdp.signals import held

STANDARD_OUTPUT = Path("/dev/stdout")


def write_files(contents: Mapping[Path, str | bytes]) -> None:
    """Write every file, or, when one cannot be written, none.

    Each goes to a temporary file in its own directory first. Raises CompileError
    (`cannot-write`) naming the file and the system's reason.
    """
    streams = [path for path in contents if is_stream(path)]
    with held():
        _write_whole({path: text for path, text in contents.items() if path not in streams})
    for path in streams:
        with _writing(path), _opened(path) as stream:
            stream.write(_bytes(contents[path]))


def _write_whole(contents: Mapping[Path, str | bytes]) -> None:
    written: list[tuple[str, Path]] = []
    path = Path()
    try:
        for path, content in contents.items():
            written.append((_write_temporary(path, content), path))
        with _alone_in({path.parent for path in contents}):
            while written:
                temporary, path = written[0]
                os.replace(temporary, path)
                written.pop(0)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        for temporary, _ in written:
            os.unlink(temporary)


@contextmanager
def _alone_in(directories: Iterable[Path]) -> Iterator[None]:
    """Let no other p4xdp put files in these directories, so that those of two which write the same
    ones at once are not mixed. Where a directory cannot be locked there is no such care."""
    with ExitStack() as stack:
        for directory in sorted(directories):
            with suppress(OSError):
                handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                stack.callback(os.close, handle)
                _lock(handle)
        yield


def _lock(handle: int) -> None:
    """Lock, or raise OSError: whoever holds a lock for longer than a few renames is none of us."""
    for _ in range(100):
        with suppress(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(0.01)
    raise BlockingIOError


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Give a stream for a large file, which appears at `path` when the block ends well.

    Raises CompileError (`cannot-write`) when it cannot be opened or kept.
    """
    if os.path.isdir(path):
        raise cannot_write(path, IsADirectoryError(codes.EISDIR, "it is a directory"))
    if is_stream(path):
        with _writing(path):
            stream = _opened(path)
        with stream:
            yield stream
            with _writing(path):
                stream.flush()
        return
    name = ""
    try:
        with _writing(path), held():
            handle, name = _new_file(path)
        with os.fdopen(handle, "wb") as stream:
            yield stream
            with _writing(path):
                stream.flush()
        with _writing(path), held():
            os.replace(name, path)
            name = ""
    finally:
        if name:
            os.unlink(name)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Tell what the system says of writing to `path` by CompileError (`cannot-write`)."""
    try:
        yield
    except OSError as error:
        raise cannot_write(path, error) from error


@contextmanager
def temporary_directory(prefix: str, within: Path | None = None) -> Iterator[Path]:
    """Give a directory that is gone behind the block, also if a signal comes while it is made."""
    import tempfile  # a compile makes none, and importing it takes a twentieth of one

    made = None
    try:
        with held():
            made = tempfile.TemporaryDirectory(prefix=prefix, dir=within)
        yield Path(made.name)
    finally:
        if made:
            with held():
                made.cleanup()


def is_stream(path: Path) -> bool:
    """Tell whether the path leads to a device or a pipe, or to what is open already."""
    if not os.path.exists(path) or os.path.isdir(path):
        return False
    return not os.path.isfile(path) or _is_open(path)


def _is_open(path: Path) -> bool:
    """Tell whether the path is a name of an open file, as `/dev/stdout` and `/dev/fd/3` are."""
    while path.is_symlink():
        directory = Path(os.path.realpath(path.parent))
        if directory.name == "fd" and directory.parts[1] == "proc":
            return True
        path = directory / os.readlink(path)
    return False


def told_beside(path: Path | None) -> TextIO:
    """Return the stream for what is told of a run: not the one that its output goes to."""
    return sys.stderr if path == STANDARD_OUTPUT else sys.stdout


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


def _opened(path: Path) -> BinaryIO:
    """Open a device or a pipe, or once more what is open, behind all that it has already."""
    return path.open("ab" if _is_open(path) else "wb")


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _new_file(path: Path) -> tuple[int, str]:
    """Open a new file beside `path`; return the handle and the name."""
    name = str(path.with_name(f".{path.name}.{os.urandom(6).hex()}"))
    return os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), name
