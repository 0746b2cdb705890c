"""The statements of a test file (STF), as parsed.

Control-plane statements are the requests of `p4xdp.runtime.requests`; the rest is here.
"""

from __future__ import annotations

from typing import Literal

from p4xdp.diagnostics import Span, span_field
from p4xdp.records import dataclass
from p4xdp.runtime.requests import Name, Number, Request

Verdict = Literal["aborted", "drop", "pass", "tx", "redirect"]
VERDICTS: tuple[Verdict, ...] = ("aborted", "drop", "pass", "tx", "redirect")
"""In the order of the kernel's numbers."""


@dataclass(frozen=True, slots=True)
class Packet:
    """Send `data` to `port`."""

    port: int
    data: bytes
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Expect:
    """A packet must leave by `port`.

    `nibbles` are lower-case hexadecimal digits, `*` for any; the packet starts with them or, when
    `exact`, is them. Empty and not exact: any packet.
    """

    port: int
    nibbles: str = ""
    exact: bool = False
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class NoPacket:
    """The packet before (without one: any packet) leaves by no port."""

    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class ExpectVerdict:
    """The packet before ends with this verdict."""

    verdict: Verdict
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Wait:
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class ExpectDigest:
    """A packet sends a digest of this name with these values; fields that are not named may have
    any. `receiver` None: to anyone."""

    name: Name
    fields: tuple[tuple[Name, Number], ...] = ()
    receiver: Number | None = None
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class NoDigest:
    """The packet before (without one: any packet) sends no digest."""

    span: Span = span_field()


Comparison = Literal["==", "!=", "<", "<=", ">", ">="]
Unit = Literal["packets", "bytes"]


@dataclass(frozen=True, slots=True)
class CheckCounter:
    """Cell `index` (a number, or the label of an entry) compares so with `bound`.

    Without a condition the cell only has to be there. Without a unit it is the one that the counter
    has, packets where it has both.
    """

    counter: Name
    index: Number | Name
    unit: Unit | None = None
    comparison: Comparison | None = None
    bound: Number | None = None
    span: Span = span_field()


Statement = (
    Request
    | Packet
    | Expect
    | NoPacket
    | ExpectVerdict
    | ExpectDigest
    | NoDigest
    | Wait
    | CheckCounter
)


@dataclass(frozen=True, slots=True)
class Places:
    """Where a case runs, when it does not run everywhere, and why."""

    names: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Case:
    file: str
    statements: tuple[Statement, ...]
    places: Places | None = None
