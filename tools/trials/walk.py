"""Packets that walk the paths of a program's parsers.

In: a typed program, and how to run a packet in the interpreter. A packet is run, and for every
`select` on its way a further packet is made for each case that was not taken: the bits that the
key is read from are set to what the case asks for. So the paths are found that depend on what is
in the packet; fields are also given small numbers and constants of the program, for those that
depend on it in another way. Out: for each path a packet that takes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields as members, is_dataclass
from random import Random
from typing import Protocol

from p4xdp.frontend import typed, types as t
from p4xdp.interp.events import Called, Entered, Event, Extracted, Rejected, Selected
from trials.bits import Bits, Layout, bits_of, constant, fields, layout_of


class Trace(Protocol):
    """Runs a packet and returns what happened; `is_spent` when no more should be run,
    `has_multiplied` when more came of a packet than the interpreter carries."""

    has_multiplied: bool

    def __call__(self, packet: bytes) -> list[Event]: ...

    @property
    def is_spent(self) -> bool: ...


BYTES = 128
MOST_RUNS = 500
MOST_PATHS = 40
SMALL = (0, 1, 2, 3)
SOUND = 0.75
"""The share of changed packets whose header checksum is right."""

MOST_STATES = 24
"""States in one path after which no further cases are tried: a loop has enough by then."""


@dataclass
class Visit:
    """A select that a packet came to: what had been read, and the case that was taken."""

    select: typed.Select
    extracted: tuple[Extracted, ...]
    cursor: int
    taken: int | None


@dataclass
class Way:
    """A packet's way: the states and cases, the selects, all headers that it read."""

    packet: bytes
    path: tuple[tuple[int, int, str], ...]
    visits: list[Visit] = field(default_factory=list)
    extracted: list[Extracted] = field(default_factory=list)


class Walker:
    def __init__(self, program: typed.TypedProgram, trace: Trace, random: Random) -> None:
        self._trace = trace
        self._random = random
        parsers = [one for one in program.declarations if isinstance(one, typed.Parser)]
        states = [state for parser in parsers for state in parser.states]
        self._states = {state.span: state for state in states}
        self.layouts = {tuple(n for n, _ in one): one for one in _layouts(parsers)}
        self.constants = _constants(program)
        self.entered: set[str] = set()
        self.all_states = len(states)

    def packets(self) -> list[bytes]:
        """Return a packet for each path that was found, the first found first."""
        found: dict[tuple[tuple[int, int, str], ...], bytes] = {}
        waiting = [bytes(BYTES), self._random.randbytes(BYTES)]
        tried: set[bytes] = set()
        while waiting and len(tried) < MOST_RUNS and len(found) < MOST_PATHS:
            if self._trace.is_spent:
                break
            packet = waiting.pop(0)
            if packet in tried:
                continue
            tried.add(packet)
            way = self._way(packet)
            is_new = way.path not in found
            found.setdefault(way.path, packet)
            if is_new:
                waiting += self._cases(way)
                waiting += self._small(way)
        return [self.sound(packet) for packet in found.values()]

    def _way(self, packet: bytes) -> Way:
        way = Way(packet, ())
        state: typed.State | None = None
        cursor, path = 0, []
        for event in self._trace(packet):
            match event:
                case Entered(span=span):
                    state = self._states.get(span)
                    self.entered.add(f"{span}")
                case Extracted() as read:
                    way.extracted.append(read)
                    cursor = max(cursor, read.offset + read.size)
                case Called(what="advance", arguments=((_, bits), *_)):
                    cursor += int(bits, 0) if bits.isdigit() else 0
                case Selected(state=target, span=span):
                    path.append((span.line, span.column, target))
                    if state and isinstance(state.transition, typed.Select):
                        select = state.transition
                        extracted = tuple(way.extracted)
                        way.visits.append(Visit(select, extracted, cursor, _taken(select, span)))
                case Rejected(error=error):
                    path.append((0, 0, error))
                case _:
                    pass
        way.path = tuple(path)
        return way

    def _cases(self, way: Way) -> Iterator[bytes]:
        """Yield packets that would take the cases that a packet did not."""
        for visit in way.visits[:MOST_STATES]:
            for index, case in enumerate(visit.select.cases):
                if index != visit.taken:
                    yield self._for_case(way.packet, visit, case)

    def _for_case(self, packet: bytes, visit: Visit, case: typed.SelectCase) -> bytes:
        for key, keyset in zip(visit.select.keys, case.keysets, strict=False):
            bits = bits_of(key, visit.extracted, visit.cursor)
            value = self._wanted(keyset)
            if bits and value is not None:
                packet = bits.set(packet, value)
        return packet

    def _wanted(self, keyset: typed.Keyset) -> int | None:
        match keyset:
            case typed.ValueKey(value=value) | typed.MaskKey(value=value):
                return constant(value)
            case typed.RangeKey(low=low):
                return constant(low)
            case _:
                return self._random.getrandbits(64)

    def _small(self, way: Way) -> Iterator[bytes]:
        """Yield packets with small numbers in the last header that was read."""
        for header in way.extracted[-1:]:
            for _, bits in self.fields(header):
                for value in SMALL if bits.width <= 16 else ():
                    yield bits.set(way.packet, value)

    def fields(self, header: Extracted) -> list[tuple[str, Bits]]:
        names = tuple(name for name, _ in header.fields)
        return list(fields(self.layouts.get(names, ()), header.offset))

    # What packets hold beside what selects ask for

    def sound(self, packet: bytes) -> bytes:
        """Return a packet with a right header checksum of IPv4, if it has such a header."""
        for header in self._way(packet).extracted:
            bits = dict(self.fields(header))
            sums = [name for name in bits if "hecksum" in name or name.endswith("csum")]
            if header.size == 160 and len(sums) == 1 and header.offset % 8 == 0:
                packet = bits[sums[0]].set(packet, 0)
                at = header.offset // 8
                packet = bits[sums[0]].set(packet, _checksum(packet[at : at + 20]))
        return packet

    def changed(self, packet: bytes) -> bytes:
        """Return a packet with other values in some of the fields that it has on its way."""
        places = [one for header in self._way(packet).extracted for one in self.fields(header)]
        for _, bits in self._random.sample(places, min(3, len(places))):
            packet = bits.set(packet, self.value(bits.width))
        return self.sound(packet) if self._random.random() < SOUND else packet

    def value(self, width: int) -> int:
        """Return a number of so many bits: small, one of the program, or any."""
        known = self.constants.get(width, SMALL)
        ways = (SMALL, known, known, (self._random.getrandbits(max(1, width)),))
        return self._random.choice(self._random.choice(ways)) & ((1 << width) - 1)


def _taken(select: typed.Select, span: object) -> int | None:
    return next((i for i, case in enumerate(select.cases) if case.span == span), None)


def _checksum(data: bytes) -> int:
    total = sum(int.from_bytes(data[i : i + 2], "big") for i in range(0, len(data), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _layouts(parsers: Iterable[typed.Parser]) -> Iterator[Layout]:
    for parser in parsers:
        for parameter in parser.parameters:
            yield from _headers(parameter.type)
        for one in parser.locals:
            if isinstance(one, typed.Variable):
                yield from _headers(one.type)


def _headers(kind: t.Type) -> Iterator[Layout]:
    match kind:
        case t.Header():
            yield layout_of(kind)
        case t.Struct(fields=parts) | t.HeaderUnion(fields=parts):
            for part in parts:
                yield from _headers(part.type)
        case t.Stack(element=element):
            yield from _headers(element)
        case _:
            pass


def _constants(program: typed.TypedProgram) -> dict[int, tuple[int, ...]]:
    """Return the numbers that stand in the program's controls, by their widths."""
    found: dict[int, set[int]] = {}
    controls = [one for one in program.declarations if isinstance(one, typed.Control)]
    for literal in _literals(controls):
        if isinstance(literal.type, t.Bit) and isinstance(literal.value, int):
            found.setdefault(literal.type.width, set()).add(literal.value)
    return {width: tuple(sorted(numbers)) for width, numbers in found.items()}


def _literals(root: object) -> Iterator[typed.Literal]:
    """Yield the literals in a part of the program, each node once."""
    waiting, seen = [root], set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, typed.Literal):
            yield node
        elif isinstance(node, (tuple, list)):
            waiting += node
        elif is_dataclass(node) and not isinstance(node, type) and id(node) not in seen:
            seen.add(id(node))
            waiting += [getattr(node, one.name) for one in members(node)]
