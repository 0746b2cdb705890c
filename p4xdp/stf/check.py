"""A case's statements, carried out in one place, and what went otherwise than expected.

Packets leave by ports in order; the expectations of each port are met in order, whether they
stand before or behind the packet's line. Digests are compared where the case says something of
them, those of each name in their order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from p4xdp.diagnostics import CompileError, Span, fail, render
from p4xdp.records import dataclass, field
from p4xdp.report import SourceTexts
from p4xdp.runtime.messages import Digest
from p4xdp.runtime.names import fits
from p4xdp.runtime.requests import AddEntry, Name, Number, Request
from p4xdp.stf.place import Outcome, Place, PlaceError
from p4xdp.stf.syntax import (
    Case,
    CheckCounter,
    Expect,
    ExpectDigest,
    ExpectVerdict,
    NoDigest,
    NoPacket,
    Packet,
    Statement,
    Wait,
)

SHOWN_BYTES = 96


@dataclass(frozen=True, slots=True)
class Left:
    """A packet that left; `span` is the line that sent it, None when nobody did."""

    data: bytes
    span: Span | None


@dataclass(frozen=True, slots=True)
class Told:
    """A digest; `span` is the line of the packet that sent it."""

    digest: Digest
    span: Span


@dataclass(slots=True)
class Checker:
    """Carries out statements on `place`; `failures` are texts that start with `file:line:`."""

    place: Place
    failures: list[str] = field(default_factory=list)
    _left: dict[int, list[Left]] = field(default_factory=lambda: defaultdict(list))
    _expected: dict[int, list[Expect]] = field(default_factory=lambda: defaultdict(list))
    _told: list[Told] = field(default_factory=list)
    _listens: bool = False
    _labels: dict[str, AddEntry] = field(default_factory=dict)
    _outcome: Outcome | None = None

    def run(self, case: Case) -> None:
        """Carry out the whole case; what the place cannot do becomes a failure."""
        digests = [s for s in case.statements if isinstance(s, ExpectDigest)]
        self._listens = bool(digests) or any(isinstance(s, NoDigest) for s in case.statements)
        try:
            for statement in case.statements:
                self._carry_out(statement)
        except CompileError as error:
            self.failures += [render(diagnostic, SourceTexts()) for diagnostic in error.diagnostics]
        except PlaceError as error:
            self.failures.append(f"{_at(statement.span)}: {error}")
            return
        self._compare()
        self._compare_digests(digests)

    def _carry_out(self, statement: Statement) -> None:
        match statement:
            case Packet():
                self._send(statement)
            case Expect():
                self._expected[statement.port].append(statement)
            case NoPacket():
                self._check_no_packet(statement)
            case ExpectVerdict():
                self._check_verdict(statement)
            case NoDigest():
                self._check_no_digest(statement)
            case CheckCounter():
                self._check_counter(statement)
            case Wait() | ExpectDigest():
                pass
            case _:
                self._request(statement)

    def _send(self, packet: Packet) -> None:
        self._outcome = self.place.send(packet.port, packet.data)
        for port, data in self._outcome.packets:
            self._left[port].append(Left(data, packet.span))
        self._told += [Told(digest, packet.span) for digest in self._outcome.digests]

    def _check_no_digest(self, statement: NoDigest) -> None:
        for digest in self._outcome.digests if self._outcome else ():
            text = f"no digest was expected, but one was sent: {digest}"
            self._fail(statement.span, text)

    def _check_no_packet(self, statement: NoPacket) -> None:
        for port, _ in self._outcome.packets if self._outcome else ():
            self._fail(statement.span, f"no packet was expected, but one left by port {port}")

    def _check_verdict(self, statement: ExpectVerdict) -> None:
        if self._outcome and not self._outcome.has_verdict(statement.verdict):
            text = f"expected verdict {statement.verdict}, got {self._outcome.verdict}"
            self._fail(statement.span, text)

    def _request(self, request: Request) -> None:
        if isinstance(request, AddEntry) and request.label:
            self._labels[request.label.text.removeprefix("$")] = request
        self.place.control.apply([request])

    def _check_counter(self, check: CheckCounter) -> None:
        value = self.place.control.counter(check.counter, self._cell(check.index), check.unit)
        if check.comparison and check.bound:
            if not _COMPARE[check.comparison](value, check.bound.value):
                index = (
                    f"${check.index.text}" if isinstance(check.index, Name) else check.index.value
                )
                cell = f"{check.counter.text}({index})"
                bound = f"{check.comparison} {check.bound.value}"
                self._fail(check.span, f"counter {cell} is {value}, expected {bound}")

    def _cell(self, index: Number | Name) -> Number | AddEntry:
        """Return the cell's number, or the entry that has the label."""
        if isinstance(index, Number):
            return index
        if index.text not in self._labels:
            help = "a label stands behind `=` at the end of `add`"
            raise fail("entry-counter", index.span, f"no entry is called `{index.text}`", help=help)
        return self._labels[index.text]

    def _compare(self) -> None:
        """Match what left with what was expected, port by port."""
        for port, data in self.place.stray():
            self._left[port].append(Left(data, None))
        for port in sorted({*self._left, *self._expected}):
            for expect, left in align(self._expected[port], self._left[port]):
                self._compare_one(port, expect, left)

    def _compare_one(self, port: int, expect: Expect | None, left: Left | None) -> None:
        if expect is None:
            assert left is not None
            text = f"an unexpected packet left by port {port}: {_shown(left.data)}"
            self._fail(left.span, text)
        elif left is None:
            self._fail(expect.span, f"no packet left by port {port} for this expectation")
        elif difference := compare(expect, left.data):
            lines = (
                f"port {port}: {difference}",
                f"  expected {_shown_nibbles(expect)}",
                f"  received {_shown(left.data)}",
            )
            self._fail(expect.span, "\n".join(lines))

    def _compare_digests(self, expected: Sequence[ExpectDigest]) -> None:
        """Match the digests that were sent with those expected."""
        waiting = list(self._told) if self._listens else []
        for expect in expected:
            found = next((one for one in waiting if fits(expect.name, one.digest.name)), None)
            if found is None:
                self._fail(expect.span, f"no digest `{expect.name.text}` for this expectation")
                continue
            waiting.remove(found)
            for difference in _differences(expect, found.digest):
                self._fail(expect.span, f"digest: {difference}\n  received {found.digest}")
        for one in waiting:
            self._fail(one.span, f"an unexpected digest: {one.digest}")

    def _fail(self, span: Span | None, text: str) -> None:
        self.failures.append(f"{_at(span)}: {text}" if span else text)


def _differences(expect: ExpectDigest, digest: Digest) -> Iterator[str]:
    """Yield what a digest has otherwise than expected."""
    if expect.receiver and expect.receiver.value != digest.receiver:
        yield f"the receiver is {digest.receiver}"
    for name, wanted in expect.fields:
        found = [label for label in digest.fields if fits(name, label)]
        if len(found) != 1:
            yield f"`{name.text}` is no field of it"
        elif digest.fields[found[0]] != wanted.value:
            yield f"{found[0]} is {digest.fields[found[0]]:#x}, expected {wanted.value:#x}"


_COMPARE = {
    "==": int.__eq__,
    "!=": int.__ne__,
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
}


def align(
    expected: Sequence[Expect], left: Sequence[Left]
) -> list[tuple[Expect | None, Left | None]]:
    """Return who answers whom, in order, so that as many as can be are as expected.

    What lies between two that fit is paired in order; None where one side has more.
    """
    fits = [[compare(expect, one.data) is None for one in left] for expect in expected]
    pairs: list[tuple[Expect | None, Left | None]] = []
    at = (0, 0)
    for row, column in [*_most_fits(fits), (len(expected), len(left))]:
        between = zip_longest(expected[at[0] : row], left[at[1] : column])
        pairs += between
        if row < len(expected):
            pairs.append((expected[row], left[column]))
        at = (row + 1, column + 1)
    return pairs


def _most_fits(fits: list[list[bool]]) -> list[tuple[int, int]]:
    """Return a longest list of (row, column) that fit, both rising."""
    columns = len(fits[0]) if fits else 0
    best = [[0] * (columns + 1) for _ in range(len(fits) + 1)]
    for row in reversed(range(len(fits))):
        for column in reversed(range(columns)):
            skipped = max(best[row + 1][column], best[row][column + 1])
            taken = 1 + best[row + 1][column + 1] if fits[row][column] else 0
            best[row][column] = max(skipped, taken)
    found: list[tuple[int, int]] = []
    row = column = 0
    while row < len(fits) and column < columns:
        if fits[row][column] and best[row][column] == 1 + best[row + 1][column + 1]:
            found.append((row, column))
            row, column = row + 1, column + 1
        elif best[row + 1][column] >= best[row][column + 1]:
            row += 1
        else:
            column += 1
    return found


def compare(expect: Expect, data: bytes) -> str | None:
    """Return None when the packet is as expected, else the first difference in words."""
    digits = data.hex()
    for at, (want, got) in enumerate(zip(expect.nibbles, digits, strict=False)):
        if want not in ("*", got):
            return f"byte {at // 2} is {data[at // 2]:02x}"
    size = (len(expect.nibbles) + 1) // 2
    if len(data) < size:
        return f"the packet has {len(data)} bytes, {size} were expected"
    if expect.exact and len(data) > size:
        return f"the packet has {len(data)} bytes, exactly {size} were expected"
    return None


def _at(span: Span) -> str:
    return f"{span.file}:{span.line}"


def _shown(data: bytes) -> str:
    more = len(data) - SHOWN_BYTES
    shown = data[:SHOWN_BYTES].hex() or "(0 bytes)"
    return f"{shown}... ({len(data)} bytes)" if more > 0 else shown


def _shown_nibbles(expect: Expect) -> str:
    digits = expect.nibbles[: 2 * SHOWN_BYTES]
    more = "..." if len(digits) < len(expect.nibbles) else ""
    return f"{digits}{more}{' $' if expect.exact else ''}"
