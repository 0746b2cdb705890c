"""The native place: the C built by the host's compiler, with sanitizers, as a process.

The process keeps maps and runs packets; it is asked through the line protocol that
`p4xdp_native_main.h` describes.
"""

from __future__ import annotations

import errno
import hashlib
import os
import selectors
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Self

from p4xdp.description import Description
from p4xdp.output import temporary_directory
from p4xdp.runtime.compiling import run_compiler
from p4xdp.runtime.entries import install_initial
from p4xdp.runtime.groups import Copies
from p4xdp.runtime.libbpf import ANY, BpfError
from p4xdp.stf.place import (
    Compiled,
    MapControl,
    Outcome,
    PlaceError,
    PlaceMissing,
    Task,
    as_copies,
    as_ports_say,
    check_port,
    output_port,
    shortest_frame,
    with_messages,
)
from p4xdp.stf.syntax import VERDICTS

WARNINGS = ("-Wall", "-Wextra", "-Werror")
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
FLAGS = ("-O1", "-g", "-fno-omit-frame-pointer", *WARNINGS, *SANITIZERS, "-DP4XDP_TEST")
ENVIRONMENT = {
    "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}
REPORT_LINES = 40
BUILD_SECONDS = 300
REPLICATED = 5
"""The verdict of a native build that asks for copies."""

LEAVES = frozenset(("pass", "tx", "redirect"))


def host_compiler() -> tuple[str, ...]:
    """Return the command of the host's C compiler, $CC first; raises PlaceMissing."""
    if os.environ.get("CC"):
        return tuple(shlex.split(os.environ["CC"]))
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            return (name,)
    raise PlaceMissing("no C compiler: install gcc or clang, or set CC")


def build(compiled: Compiled, build_dir: Path) -> Path:
    """Build the C once and return the executable; raises PlaceError, PlaceMissing."""
    headers = Path(str(resources.files("p4xdp") / "runtime_headers"))
    compiler = host_compiler()
    command = (*compiler, *_flags(compiler), f"-I{headers}")
    executable = build_dir / f"native-{_digest(compiled.c, command, headers)}"
    if not executable.exists():
        _compile(compiled.c, command, executable)
    return executable


def _flags(compiler: tuple[str, ...]) -> tuple[str, ...]:
    """Return the flags of a compiler: tcc, which builds in no time, has no sanitizers."""
    return ("-w", "-DP4XDP_TEST") if Path(compiler[0]).name == "tcc" else FLAGS


def _digest(text: str, command: tuple[str, ...], headers: Path) -> str:
    parts = [text, *command, *(h.read_text() for h in sorted(headers.glob("*.h")))]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]


def _compile(text: str, command: tuple[str, ...], executable: Path) -> None:
    """Compile beside the final name, then rename: other processes never see half a file."""
    with temporary_directory("native.", executable.parent) as directory:
        source, output = directory / "out.c", directory / "out"
        source.write_text(text)
        failed = _run_compiler((*command, str(source), "-o", str(output)), directory)
        if failed is None:
            os.replace(output, executable)
            return
        source.write_text("int main(void) { return 0; }\n")
        missing = _run_compiler((*command, str(source), "-o", str(output)), directory)
    if missing is not None:
        first = missing.strip().partition("\n")[0]
        raise PlaceMissing(f"`{command[0]}` cannot build with sanitizers: {first}")
    raise PlaceError(f"`{command[0]}` refuses the C:\n{_head(failed)}")


def _run_compiler(command: tuple[str, ...], directory: Path) -> str | None:
    """Return None when it went well, else what the compiler printed."""
    try:
        done = run_compiler(command, directory, BUILD_SECONDS)
    except FileNotFoundError as error:
        raise PlaceMissing(f"`{command[0]}` is not there: set CC to a C compiler") from error
    except subprocess.TimeoutExpired as error:
        raise PlaceError(f"`{command[0]}` took more than {BUILD_SECONDS} seconds") from error
    return None if done.returncode == 0 else done.stdout + done.stderr


def _head(text: str) -> str:
    return "\n".join(text.strip().splitlines()[:REPORT_LINES])


@contextmanager
def open_native(task: Task) -> Iterator[NativePlace]:
    """Build the program, start it, end it; raises PlaceError, PlaceMissing, CompileError."""
    compiled = task.compile("native", None)
    place = NativePlace(build(compiled, task.build_dir), compiled.description, task.timeout)
    try:
        install_initial(place.description, place)
        yield place
    finally:
        place.close()


class NativePlace:
    """A running native build; a MapAccess itself."""

    def __init__(self, executable: Path, description: Description, timeout: float) -> None:
        self.description = description
        self.control = MapControl.of(description, self)
        self._timeout = timeout
        self._pending = b""
        self._report = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            (str(executable),),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._report,
            bufsize=0,
            env={**os.environ, **ENVIRONMENT},
        )
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._stdout, selectors.EVENT_READ)

    @property
    def maps(self) -> Self:
        return self

    @property
    def _stdout(self) -> int:
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def send(self, port: int, data: bytes) -> Outcome:
        check_port(port, self.description.port_width)
        outcome = self._sent(port, data)
        records = self.events() if self.description.messages else ()
        outcome = with_messages(outcome, self.description, records)
        return as_ports_say(outcome, port, self.description.host_port)

    def _sent(self, port: int, data: bytes) -> Outcome:
        shortest = str(shortest_frame(self.description, data))
        _, words = self._ask("run", str(port), _hex(data), shortest)
        return self._ended(port, words, shortest)

    def _ended(self, port: int, words: list[str], shortest: str, to: int | None = None) -> Outcome:
        """Return how a run ended, with all the copies that it asks for; a copy that has not come
        in again leaves by the port `to`."""
        if int(words[0]) != REPLICATED:
            return self._outcome(port, words, to)
        copies = []
        for to, number in self.control.groups.ports(Copies(*map(int, words[3:6]))):
            place = (str(to), str(number))
            _, made = self._ask("run", str(port), words[2], shortest, *place)
            leaves_by = to if self.description.looped is None else None
            copies.append(self._ended(port, made, shortest, leaves_by))
        return as_copies(Outcome("drop", port, None), copies)

    def _outcome(self, port: int, words: list[str], to: int | None = None) -> Outcome:
        """Return how a run ended, that of a copy on its way to a port."""
        number, redirected, rest = int(words[0]), int(words[1]), _bytes(words[2])
        if not 0 <= number < len(VERDICTS):
            raise PlaceError(f"the program returned {number}, which is no verdict")
        verdict = VERDICTS[number]
        if to is None:
            to = output_port(self.description, verdict, port, redirected)
        return Outcome(verdict, to, rest if verdict in LEAVES else None)

    def stray(self) -> tuple[tuple[int, bytes], ...]:
        return ()

    def events(self) -> tuple[bytes, ...]:
        """Return the perf events since the last call."""
        _, words = self._ask("events")
        return tuple(_bytes(word) for word in words)

    def update(self, name: str, key: bytes, value: bytes, flags: int = ANY) -> None:
        code, _ = self._ask("update", name, _hex(key), _hex(value), str(flags))
        _check(code, f"update of map {name}")

    def update_many(self, name: str, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        for key, value in pairs:
            self.update(name, key, value)

    def lookup(self, name: str, key: bytes) -> bytes | None:
        code, words = self._ask("lookup", name, _hex(key))
        if code == errno.ENOENT:
            return None
        _check(code, f"lookup in map {name}")
        return _bytes(words[0])

    def delete(self, name: str, key: bytes) -> bool:
        code, _ = self._ask("delete", name, _hex(key))
        if code == errno.ENOENT:
            return False
        _check(code, f"delete from map {name}")
        return True

    def keys(self, name: str) -> Iterator[bytes]:
        code, words = self._ask("next", name, "-")
        while code != errno.ENOENT:
            _check(code, f"walk through map {name}")
            yield _bytes(words[0])
            code, words = self._ask("next", name, words[0])

    def settle(self) -> None:
        """Nothing to wait for: the process does one thing at a time."""

    def close(self) -> None:
        """End the process; raises nothing."""
        self._selector.close()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        try:
            self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._report.close()

    def _ask(self, *words: str) -> tuple[int, list[str]]:
        """Send a request; return errno (0 for ok) and the words of the answer."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write((" ".join(words) + "\n").encode())
        except BrokenPipeError:
            raise self._broken() from None
        answer = self._answer().split()
        if answer[0] == "ok":
            return 0, answer[1:]
        return int(answer[1]), []

    def _answer(self) -> str:
        deadline = time.monotonic() + self._timeout
        while b"\n" not in self._pending:
            if not self._selector.select(max(0.0, deadline - time.monotonic())):
                raise PlaceError(f"no answer from the native build in {self._timeout} seconds")
            chunk = os.read(self._stdout, 1 << 16)
            if not chunk:
                raise self._broken()
            self._pending += chunk
        line, _, self._pending = self._pending.partition(b"\n")
        return line.decode()

    def _broken(self) -> PlaceError:
        """The process is gone: say what it said last, which is the sanitizer's report."""
        self._process.wait()
        self._report.seek(0)
        report = self._report.read().decode(errors="replace")
        code = self._process.returncode
        return PlaceError(f"the native build broke off (exit {code})\n{_head(report)}".strip())


def _check(code: int, what: str) -> None:
    if code:
        raise BpfError(code, what)


def _hex(data: bytes) -> str:
    return data.hex() or "-"


def _bytes(word: str) -> bytes:
    return b"" if word == "-" else bytes.fromhex(word)
