"""The kernel place: an object built by clang and run packet by packet by BPF_PROG_TEST_RUN.

A test run gives only the verdict, so test builds take the input port from the data map
`p4xdp_test` and record the output port there.
"""

from __future__ import annotations

import errno
import hashlib
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from p4xdp.backend_c import ladder
from p4xdp.description import Description
from p4xdp.diagnostics import CompileError
from p4xdp.output import temporary_directory
from p4xdp.records import replace
from p4xdp.runtime import clang
from p4xdp.runtime.groups import Copies
from p4xdp.runtime.libbpf import (
    BpfError,
    BpfObject,
    BpfProgram,
    LibbpfMissing,
    VerifierError,
)
from p4xdp.runtime.maps import KernelMaps
from p4xdp.runtime.ringbuf import RingBuffer
from p4xdp.runtime.table_maps import ONE_CELL
from p4xdp.stf.place import (
    SHORTEST_FRAME,
    Compiled,
    MapControl,
    Outcome,
    PacketRefused,
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
from p4xdp.stf.syntax import VERDICTS, Verdict

LEAVES = frozenset(("pass", "tx", "redirect"))
RECORDED, BY_INTERFACE = 1, 0
LOG_LINES = 15


@contextmanager
def load_for_test(task: Task) -> Iterator[tuple[BpfObject, Description]]:
    """Compile, build and load a test build, on the first layout from the compiler's choice on that
    the kernel takes.

    Raises CompileError, PlaceError, PlaceMissing.
    """
    refusals = []
    chosen = task.compile("xdp", None)
    higher = ladder.above(chosen.description.layout)
    for layout in (None, *higher):
        compiled = task.compile("xdp", layout) if layout else chosen
        try:
            with _loaded(_for_test(compiled, task), task.build_dir) as loaded:
                yield loaded, compiled.description
                return
        except (clang.TooBig, VerifierError) as refusal:
            refusals.append(refusal)
    raise PlaceError(_refused(refusals[0]))


def _for_test(compiled: Compiled, task: Task) -> Compiled:
    """Return the C of a test build, which can be told to hide the start of a frame if packets are
    shorter than a frame."""
    if not task.short or compiled.description.host_port is None:
        return compiled
    return replace(compiled, c=f"#define P4XDP_TEST_SHORT\n{compiled.c}")


def _refused(refusal: clang.TooBig | VerifierError) -> str:
    if isinstance(refusal, clang.TooBig):
        return str(refusal)
    lines = refusal.verifier_log.strip().splitlines()[-LOG_LINES:]
    return "\n".join((str(refusal), *lines))


@contextmanager
def _loaded(compiled: Compiled, build_dir: Path) -> Iterator[BpfObject]:
    """Build and load; raises TooBig, VerifierError, PlaceError, PlaceMissing."""
    with _opened(build(compiled.c, build_dir)) as opened:
        try:
            opened.load()
        except VerifierError:
            raise
        except BpfError as error:
            if error.errno == errno.EPERM:
                raise PlaceMissing("no right to load BPF programs: run as root") from error
            raise PlaceError(f"{error}\n{error.log}".strip()) from error
        yield opened


def _opened(path: Path) -> BpfObject:
    try:
        return BpfObject(path)
    except LibbpfMissing as error:
        raise PlaceMissing(str(error)) from error
    except BpfError as error:
        raise PlaceError(f"{path}: {error}\n{error.log}".strip()) from error


def build(text: str, build_dir: Path) -> Path:
    """Build a test object from C once; raises TooBig, PlaceError, PlaceMissing."""
    found = _clang()
    path = build_dir / f"kernel-{_digest(text, found)}.o"
    if path.exists():
        return path
    with temporary_directory("kernel.", build_dir) as directory:
        source = directory / "out.c"
        source.write_text(text)
        try:
            return clang.build(source, path, test=True, clang=found).object
        except CompileError as error:
            raise PlaceError("; ".join(d.text for d in error.diagnostics)) from error


def _clang() -> clang.Clang:
    try:
        return clang.find()
    except CompileError as error:
        raise PlaceMissing("; ".join(d.text for d in error.diagnostics)) from error


def _digest(text: str, found: clang.Clang) -> str:
    headers = (h.read_text() for h in sorted(clang.include_dir().glob("*.h")))
    parts = [text, str(found.path), found.version, *headers]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]


def set_test(
    maps: KernelMaps,
    mode: int,
    port: int,
    base: int,
    hidden: int = 0,
    copy: tuple[int, int] = (0, 0),
    *,
    looped: bool = False,
) -> None:
    """Say how a test build finds its ports: from here (RECORDED), a `copy` the one that it goes to,
    with its number there, or from its interface; whether a copy comes in again (`looped`), and how
    many bytes at the start of the frame are hidden."""
    to, number = copy
    record = struct.pack("=11I", mode, port, to, base, hidden, 0, 0, 0, 0, number, looped)
    maps.update("p4xdp_test", ONE_CELL, record)


def recorded_port(maps: KernelMaps) -> int | None:
    """Return the port that a test build by interface found no device for."""
    record = struct.unpack("=11I", maps.lookup("p4xdp_test", ONE_CELL) or bytes(44))
    return record[2] - 1 if record[2] else None


@contextmanager
def open_kernel(task: Task) -> Iterator[KernelPlace]:
    """Load the program, unload it; raises PlaceError, PlaceMissing, CompileError."""
    with load_for_test(task) as (loaded, description):
        program = loaded.program(description.function)
        replica = loaded.program(description.replica) if description.replica else None
        maps = KernelMaps.of_object(loaded)
        with listening(maps, description) as messages:
            yield KernelPlace(
                maps, program, description, short=task.short, replica=replica, messages=messages
            )


@contextmanager
def listening(maps: KernelMaps, description: Description) -> Iterator[RingBuffer | None]:
    """Open what a program tells user space, None for one that tells nothing."""
    if description.messages is None:
        yield None
        return
    with RingBuffer(maps[description.messages]) as messages:
        yield messages


class KernelPlace:
    """A loaded program, for test runs; one built for `short` packets can have the start of a frame
    hidden. `replica` is what copies of a packet meet, `messages` what the program tells user
    space."""

    def __init__(
        self,
        maps: KernelMaps,
        program: BpfProgram,
        description: Description,
        *,
        short: bool = False,
        replica: BpfProgram | None = None,
        messages: RingBuffer | None = None,
    ) -> None:
        self.maps = maps
        self.description = description
        self.control = MapControl.of_fresh(description, maps)
        self._program = program
        self._short = short
        self._replica = replica
        self._messages = messages

    def send(self, port: int, data: bytes) -> Outcome:
        check_port(port, self.description.port_width)
        shortest = shortest_frame(self.description, data) if self._short else SHORTEST_FRAME
        if len(data) < shortest:
            raise PacketRefused(
                f"the kernel's test run takes no frame under {shortest} bytes, this has "
                f"{len(data)}; interp and native run it"
            )
        sent = self._sent(port, data, SHORTEST_FRAME - shortest)
        records = self._messages.read() if self._messages else ()
        outcome = with_messages(sent, self.description, records)
        return as_ports_say(outcome, port, self.description.host_port)

    def _sent(self, port: int, data: bytes, hidden: int) -> Outcome:
        """Return the end of a packet that is run behind so many hidden bytes."""
        return self._ended(port, self._run(self._program, port, (port, 0), data, hidden), hidden)

    def _ended(self, port: int, run: tuple[Verdict, int | None, bytes], hidden: int) -> Outcome:
        """Return how a run ended, with all the copies that it asks for."""
        verdict, redirected, rest = run
        asked = self._asked() if redirected is not None else None
        if asked is not None:
            return self._copies(port, asked, rest, hidden)
        port = output_port(self.description, verdict, port, redirected or 0)
        return Outcome(verdict, port, rest if verdict in LEAVES else None)

    def _copies(self, port: int, asked: Copies, data: bytes, hidden: int) -> Outcome:
        """Run each copy of a packet by the function that it would meet at its device, or as one
        that comes in again."""
        assert self._replica is not None
        made = []
        for copy in self.control.groups.ports(asked):
            if self.description.looped:
                run = self._run(self._program, port, copy, data, hidden, looped=True)
                made.append(self._ended(port, run, hidden))
                continue
            verdict, _, rest = self._run(self._replica, port, copy, data, hidden)
            made.append(Outcome(verdict, copy[0], rest if verdict in LEAVES else None))
        return as_copies(Outcome("drop", port, None), made)

    def _run(
        self,
        program: BpfProgram,
        port: int,
        copy: tuple[int, int],
        data: bytes,
        hidden: int,
        *,
        looped: bool = False,
    ) -> tuple[Verdict, int | None, bytes]:
        """Return the verdict, what was recorded of a redirect, and the packet."""
        set_test(self.maps, RECORDED, port, 0, hidden, copy, looped=looped)
        try:
            done = program.test_run(bytes(hidden) + data)
        except BpfError as error:
            raise PacketRefused(f"{error} (a packet of {len(data)} bytes)") from error
        if not 0 <= done.verdict < len(VERDICTS):
            raise PlaceError(f"the program returned {done.verdict}, which is no verdict")
        verdict = VERDICTS[done.verdict]
        recorded = self._record()[2] if verdict == "redirect" else None
        return verdict, recorded, done.data[hidden:]

    def stray(self) -> tuple[tuple[int, bytes], ...]:
        return ()

    def _record(self) -> tuple[int, ...]:
        return struct.unpack("=11I", self.maps.lookup("p4xdp_test", ONE_CELL) or bytes(44))

    def _asked(self) -> Copies | None:
        """Return the copies that the program has asked for."""
        record = self._record()
        return Copies(*record[6:9]) if self._replica is not None and record[5] else None
