"""What every place offers in which a compiled program can be run on packets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from typing import Protocol

from p4xdp.description import Description
from p4xdp.options import Options
from p4xdp.records import dataclass
from p4xdp.runtime.entries import MapAccess
from p4xdp.stf.syntax import Verdict


class PlaceError(Exception):
    """The program could not be built or run here, or the run broke off: the text says why."""


class PacketRefused(PlaceError):
    """The place cannot take this one packet: the text says why."""


class PlaceMissing(Exception):
    """This machine does not have what the place needs: the text says what."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a packet: its verdict and, where it leaves, the port and its bytes.

    `either` when `drop` may have been `aborted`: the place cannot tell.
    """

    verdict: Verdict
    port: int
    data: bytes | None
    either: bool = False

    def has_verdict(self, wanted: Verdict) -> bool:
        return wanted == self.verdict or (self.either and wanted == "aborted")


@dataclass(frozen=True, slots=True)
class Compiled:
    """A program's C for a place, with its description."""

    c: str
    description: Description


@dataclass(frozen=True, slots=True)
class PlaceOptions:
    """`compile` are the user's compile options (`target` is set by the place).

    `build_dir` keeps builds from one case to the next, None throws them away. `timeout` is the
    most that one packet may take, in seconds.
    """

    compile: Options = field(default_factory=Options)
    build_dir: Path | None = None
    timeout: float = 10.0


class Place(Protocol):
    """A program that is ready for packets."""

    @property
    def description(self) -> Description: ...

    @property
    def maps(self) -> MapAccess: ...

    def send(self, port: int, data: bytes) -> Outcome:
        """Run the program on a packet that came in by `port`; raises PlaceError."""

    def stray(self) -> tuple[tuple[int, bytes], ...]:
        """Return packets (port, bytes) that left and belong to no packet sent."""


Compile = Callable[[str, str | None], Compiled]
"""From a target (`native`, `xdp`) and a layout (None: the compiler chooses) to the C; raises
CompileError."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a place is opened for: the program, the ports in use, where builds go."""

    compile: Compile
    ports: tuple[int, ...]
    build_dir: Path
    timeout: float
