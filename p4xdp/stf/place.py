"""What every place offers in which a program can be run on packets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from p4xdp.description import Description
from p4xdp.frontend.typed import TypedProgram
from p4xdp.options import HOST_PORT, Options
from p4xdp.records import dataclass, field, replace
from p4xdp.runtime.entries import (
    apply_requests,
    entry_cell,
    install_initial,
    read_counter,
)
from p4xdp.runtime.groups import Groups
from p4xdp.runtime.messages import Digest, MessageError, decode, is_packet, packet_of
from p4xdp.runtime.requests import AddEntry, Name, Number, Request
from p4xdp.runtime.table_maps import MapAccess
from p4xdp.stf.syntax import Unit, Verdict


class PlaceError(Exception):
    """The program could not be built or run here, or the run broke off: the text says why."""


class PacketRefused(PlaceError):
    """The place cannot take this one packet: the text says why."""


class PlaceMissing(Exception):
    """This machine does not have what the place needs: the text says what."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a packet: its verdict and, where it leaves, the port and its bytes.

    `either` when `drop` may have been `aborted`: the place cannot tell. `more` are the packets
    (port, bytes) that leave behind that one: the copies that the program made. `digests` are what
    the program told the control plane.
    """

    verdict: Verdict
    port: int
    data: bytes | None
    either: bool = False
    more: tuple[tuple[int, bytes], ...] = ()
    digests: tuple[Digest, ...] = ()

    @property
    def packets(self) -> tuple[tuple[int, bytes], ...]:
        """All packets that leave, in order, as (port, bytes)."""
        first = () if self.data is None else ((self.port, self.data),)
        return (*first, *self.more)

    def has_verdict(self, wanted: Verdict) -> bool:
        return wanted == self.verdict or (self.either and wanted == "aborted")


SHORTEST_FRAME = 14
"""Bytes of the shortest frame that the kernel runs a program on, or that a program leaves."""

SHORT_PACKET = 64
"""Bytes below which a packet is no frame of Ethernet: programs with ports of their own are
tested on such, too, as if frames had no shortest length."""


def check_port(port: int, width: int) -> None:
    """Raise PlaceError for a port by which no packet can come in: it has more than `width` bits."""
    if port >> width:
        text = f"there is no port {port} here: the greatest that the architecture has is "
        raise PlaceError(f"{text}{(1 << width) - 1}")


def has_short(packets: Iterable[bytes]) -> bool:
    return any(len(packet) < SHORT_PACKET for packet in packets)


def shortest_frame(description: Description, packet: bytes) -> int:
    """Return how many bytes a program must leave of a packet in a test."""
    is_short = description.host_port is not None and len(packet) < SHORT_PACKET
    return 0 if is_short else SHORTEST_FRAME


def as_copies(first: Outcome, copies: Sequence[Outcome]) -> Outcome:
    """Return the end of a packet that was replicated: the verdict on it, and all that left."""
    left = [packet for copy in copies for packet in copy.packets]
    if not left:
        return Outcome("drop", first.port, None)
    (port, data), *more = left
    return Outcome("redirect", port, data, more=tuple(more))


def as_ports_say(outcome: Outcome, arrival: int, host_port: int | None) -> Outcome:
    """Return the end of a packet in the words that every place has for it.

    A program with ports of its own names ports and no verdicts, so the verdict is what its port
    means: whether the C sends a packet back by a redirect is the compiler's business. Of several
    packets the one with the least port is the first. `arrival` is
    the port that the packet came by, `host_port` None for a program that returns verdicts.
    """
    if host_port is None or outcome.data is None:
        return outcome
    (port, data), *more = sorted(outcome.packets, key=lambda packet: packet[0])
    verdict: Verdict = "tx" if port == arrival else "redirect"
    if port == host_port:
        verdict = "pass"
    return replace(outcome, verdict=verdict, port=port, data=data, more=tuple(more))


def with_messages(outcome: Outcome, description: Description, records: Sequence[bytes]) -> Outcome:
    """Return the outcome with the messages that came meanwhile: digests, and packets, which left by
    the CPU port; raises PlaceError."""
    if not records:
        return outcome
    packets = [packet_of(record)[0] for record in records if is_packet(record)]
    try:
        told = [decode(description, record) for record in records if not is_packet(record)]
    except MessageError as error:
        raise PlaceError(str(error)) from error
    digests = tuple(one for one in told if isinstance(one, Digest))
    if not packets:
        return replace(outcome, digests=digests)
    assert description.cpu_port is not None
    left = [*outcome.packets, *((description.cpu_port, packet) for packet in packets)]
    (port, data), *more = left
    verdict = outcome.verdict if outcome.data is not None else "redirect"
    return replace(
        outcome, verdict=verdict, port=port, data=data, more=tuple(more), digests=digests
    )


def output_port(description: Description, verdict: Verdict, port: int, redirected: int) -> int:
    """Return the port by which a packet left that came by `port`; `redirected` is where the
    program sent it if it did."""
    if verdict == "redirect":
        return redirected
    if verdict == "pass" and description.host_port is not None:
        return description.host_port
    return port


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


class ControlPlane(Protocol):
    """Tables and counters of a program, by their control-plane names."""

    def apply(self, requests: Sequence[Request]) -> None:
        """Carry out requests in order; raises CompileError with what is wrong with them."""

    def counter(self, name: Name, index: Number | AddEntry, unit: Unit | None = None) -> int:
        """Return the cell of a counter, or of a direct one the cell of an entry.

        Raises CompileError (`entry-counter`, `entry-unsupported`)."""


@dataclass(frozen=True, slots=True)
class MapControl:
    """The control plane of a compiled program: operations on its maps."""

    description: Description
    maps: MapAccess
    groups: Groups

    @classmethod
    def of(cls, description: Description, maps: MapAccess) -> MapControl:
        """Return the control plane of a program whose initial entries are in place."""
        return cls(description, maps, Groups.of(description))

    @classmethod
    def of_fresh(cls, description: Description, maps: MapAccess) -> MapControl:
        """Return the control plane of a program just loaded, with its initial entries in place."""
        install_initial(description, maps)
        return cls.of(description, maps)

    def apply(self, requests: Sequence[Request]) -> None:
        apply_requests(self.description, self.maps, requests, self.groups)
        looped = self.description.looped is not None
        self.groups.store(self.description, self.maps, looped=looped)

    def counter(self, name: Name, index: Number | AddEntry, unit: Unit | None = None) -> int:
        if isinstance(index, AddEntry):
            index = entry_cell(self.description, self.maps, name, index)
        return read_counter(self.description, self.maps, name, index, unit)


class Place(Protocol):
    """A program that is ready for packets."""

    @property
    def control(self) -> ControlPlane: ...

    def send(self, port: int, data: bytes) -> Outcome:
        """Run the program on a packet that came in by `port`; raises PlaceError."""

    def stray(self) -> tuple[tuple[int, bytes], ...]:
        """Return packets (port, bytes) that left and belong to no packet sent."""


class Compile(Protocol):
    """A program's source, for the places to take what they need of it."""

    def __call__(self, target: str, layout: str | None) -> Compiled:
        """Return the C for a target (`native`, `xdp`) and a layout (None: the compiler chooses);
        raises CompileError."""

    def check(self) -> TypedProgram:
        """Return the typed program; raises CompileError."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a place is opened for: the program, the ports in use, where builds go, whether there
    are packets shorter than SHORT_PACKET, and the ports that a program with ports of its own sends
    to this machine and to a controller by."""

    compile: Compile
    ports: tuple[int, ...]
    build_dir: Path
    timeout: float
    on_reject: str = "aborted"
    short: bool = False
    host_port: int = HOST_PORT
    cpu_port: int | None = None
