"""One program, brought as far as it goes: checked, compiled, built, loaded, compared.

The packets and entries are made from the program itself (`walk`, `filling`), always the same for
the same text. Each place gets the entries and then the packets in order; what leaves must be what
leaves in the interpreter, port for port and byte for byte. A packet on which the interpreter says
that an undefined value had a part, such as the time, is not compared.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from p4xdp.deep import call_deep
from p4xdp.diagnostics import CompileError, Severity
from p4xdp.driver import Session, check, compile
from p4xdp.frontend.typed import TypedProgram
from p4xdp.interp.events import Applied, Branched, Event, Moved, Selected
from p4xdp.options import Options
from p4xdp.stf.interp import InterpPlace, open_program
from p4xdp.stf.place import (
    Compiled,
    PacketRefused,
    Place,
    PlaceError,
    PlaceMissing,
    PlaceOptions,
    has_short,
)
from p4xdp.stf.places import open_place
from p4xdp.stf.simple_switch import parse_commands
from trials.filling import Filling
from trials.found import Program
from trials.limits import TooLong, limited, one_line
from trials.walk import Walker

STAGES = ("accepted", "compiled", "built", "loaded", "agrees")
"""How far a program can come, one behind the other; `built` is clang's part."""

PORTS = (0, 1, 2, 3)
MOST_PACKETS, FEW_PACKETS = 60, 10
MOST_STEPS = 80_000
"""Steps of the interpreter that are spent on finding packets."""

ROUNDS, CHANGES = 3, 80
"""How often packets with changed fields are tried for what they reach, and how many at a time."""

LONGEST = {"check": 240, "compile": 480, "stimuli": 480}
LONGEST_PLACE = 600
"""Seconds that a step may take."""


@dataclass(frozen=True)
class Stimuli:
    """What a program is tried with: commands, packets with the port they come by; and how much of
    the program they reach: (reached, all) states and actions of tables."""

    commands: tuple[str, ...]
    packets: tuple[tuple[int, bytes], ...]
    states: tuple[int, int] = (0, 0)
    actions: tuple[int, int] = (0, 0)


@dataclass
class Result:
    """`reached` are the stages that a program came to; `reason` says why it came no further.

    `compared` packets were compared in each place, `left` ones leave, `undefined` ones are not
    compared.
    """

    repository: str
    path: str
    model: str
    reached: list[str] = field(default_factory=list)
    reason: str = ""
    compared: int = 0
    left: int = 0
    undefined: int = 0
    commands: int = 0
    states: tuple[int, int] = (0, 0)
    actions: tuple[int, int] = (0, 0)
    seconds: float = 0.0


class Fails(Exception):
    """The trial ends here: the text says why."""


@dataclass
class Source:
    """A program, compiled once for each place and layout."""

    program: Program
    _typed: TypedProgram | None = None
    _compiled: dict[tuple[str, str | None], Compiled] = field(default_factory=dict)

    def check(self) -> TypedProgram:
        if self._typed is None:
            self._typed = call_deep(lambda: check(Session(self.program.file, self._options())))
        return self._typed

    def __call__(self, target: str, layout: str | None) -> Compiled:
        key = (target, layout)
        if key not in self._compiled:
            options = replace(self._options(), target=target, layout=layout)
            output = call_deep(lambda: compile(Session(self.program.file, options)))
            self._compiled[key] = Compiled(output.c, output.description)
        return self._compiled[key]

    def _options(self) -> Options:
        program = self.program
        dirs = program.include_dirs
        return Options(include_dirs=dirs, defines=program.defines, warnings=("no-all",))


def tried(program: Program, places: Sequence[str]) -> Result:
    """Bring a program as far as it goes."""
    result = Result(program.repository, str(program.path), program.model)
    start = time.monotonic()
    try:
        _bring(Source(program), places, result)
    except Fails as failure:
        result.reason = one_line(str(failure), program.root)
    result.seconds = round(time.monotonic() - start, 1)
    return result


def _bring(source: Source, places: Sequence[str], result: Result) -> None:
    """Bring a program through the stages; raises Fails."""
    with _step("check"):
        source.check()
    result.reached.append("accepted")
    with _step("compile"):
        source("xdp", None)
    result.reached.append("compiled")
    with _step("stimuli"):
        stimuli = stimuli_of(source)
        stimuli, wanted = judged(source, stimuli)
    result.commands = len(stimuli.commands)
    result.states, result.actions = stimuli.states, stimuli.actions
    result.undefined = wanted.count(None)
    result.compared = len(wanted) - result.undefined
    result.left = sum(bool(one) for one in wanted)
    for name in places:
        with _step(name):
            _compare(source, name, stimuli, wanted, result)
    result.reached.append("agrees")


@contextmanager
def _step(name: str) -> Iterator[None]:
    """Let what goes wrong in a step end the trial; raises Fails."""
    longest = LONGEST.get(name, LONGEST_PLACE)
    try:
        with limited(longest):
            yield
    except CompileError as error:
        found = [d for d in error.diagnostics if d.severity is Severity.ERROR]
        first = found[0]
        where = f"{Path(first.span.file).name}:{first.span.line}: " if first.span else ""
        raise Fails(f"{where}{first.code}: {first.text}") from error
    except TooLong as error:
        raise Fails(f"{name}: longer than {longest} s") from error
    except (PlaceError, PlaceMissing) as error:
        raise Fails(f"{name}: {error}") from error
    except Fails:
        raise
    except Exception as error:
        raise Fails(f"{name}: crashed: {type(error).__name__}: {error}") from error


# Packets and entries


def interp(source: Source) -> InterpPlace:
    return InterpPlace(open_program(source.check(), "aborted"))


class Tracer:
    """Runs packets in the interpreter; `is_spent` after so many steps that no more are tried.

    While `has_multiplied` says that a packet did, others are not run: somebody has to mend that."""

    def __init__(self, place: InterpPlace) -> None:
        self._place = place
        self._steps = 0
        self.has_multiplied = False

    def __call__(self, packet: bytes) -> list[Event]:
        events: list[Event] = []
        if self.has_multiplied:
            return events
        try:
            self._place.trace(1, packet, events.append)
        except PacketRefused:
            self.has_multiplied = True
            return []
        except PlaceError:
            pass
        self._steps += len(events)
        return events

    @property
    def is_spent(self) -> bool:
        return self._steps > MOST_STEPS


def stimuli_of(source: Source) -> Stimuli:
    """Make packets and entries for a program."""
    typed = source.check()
    random = Random(source.program.name)
    place = interp(source)
    trace = Tracer(place)
    walker = Walker(typed, trace, random)
    kept = walker.packets()
    filling = Filling(place, walker.value, random)
    reached: set[object] = set()
    for _ in range(ROUNDS):
        filling.fill(kept, trace)
        if trace.is_spent:
            break
        changed = [walker.changed(random.choice(kept)) for _ in range(CHANGES)]
        kept += [one for one in changed if _reaches_more(trace(one), reached)]
    filling.defaults()
    kept = kept[-MOST_PACKETS:]
    while len(kept) < (FEW_PACKETS if trace.is_spent else MOST_PACKETS):
        kept.append(walker.changed(random.choice(kept)))
    given = tuple((random.choice(PORTS), packet) for packet in kept)
    tables = place.control.tables.values()
    actions = {(state.name, name) for state in tables for name in state.action_names}
    return Stimuli(
        tuple(filling.commands),
        given,
        (len(walker.entered), walker.all_states),
        (len(filling.ran & actions), len(actions)),
    )


def _reaches_more(events: Sequence[Event], reached: set[object]) -> bool:
    """Whether a packet comes to what none came to before it."""
    before = len(reached)
    for event in events:
        match event:
            case Branched(value=value, span=span):
                reached.add((span, value))
            case Applied(table=table, action=action, entry=entry):
                reached.add((table, action, entry is None))
            case Moved(what=what):
                reached.add(what)
            case Selected(state=state, span=span):
                reached.add((span, state))
            case _:
                pass
    return len(reached) > before


# Comparing

MOST_ZEROS = 4

Answer = tuple[tuple[int, bytes], ...]
"""The packets that leave, in the order of their ports."""


def judged(source: Source, stimuli: Stimuli) -> tuple[Stimuli, list[Answer | None]]:
    """Return the packets that the interpreter can run, and its answers to them; raises Fails."""
    with suppress(PacketRefused):
        return stimuli, answers(interp(source), stimuli)
    place, refused = interp(source), []
    place.control.apply(parse_commands("\n".join(stimuli.commands), "commands"))
    for port, packet in stimuli.packets:
        try:
            place.send(port, packet)
        except PacketRefused:
            refused.append((port, packet))
    packets = tuple(one for one in stimuli.packets if one not in refused)
    if not packets:
        raise Fails("more comes of each packet than the interpreter carries")
    kept = replace(stimuli, packets=packets)
    return kept, answers(interp(source), kept)


def answers(place: Place, stimuli: Stimuli) -> list[Answer | None]:
    """Return what leaves for each packet, None where nothing is right or wrong; raises Fails."""
    place.control.apply(parse_commands("\n".join(stimuli.commands), "commands"))
    found: list[Answer | None] = []
    for port, packet in stimuli.packets:
        answer = tuple(sorted(place.send(port, packet).packets))
        undefined = isinstance(place, InterpPlace) and place.undefined_read
        found.append(None if undefined else answer)
    return found


def _compare(
    source: Source,
    name: str,
    stimuli: Stimuli,
    wanted: Sequence[Answer | None],
    result: Result,
) -> None:
    """Run a place and hold it against the interpreter; raises Fails, PlaceError, CompileError."""
    short = has_short(packet for _, packet in stimuli.packets)
    with open_place(name, source, PORTS, PlaceOptions(), short=short) as place:
        if name == "kernel":
            result.reached += ["built", "loaded"]
        got = answers(place, stimuli)
    for (port, packet), right, found in zip(stimuli.packets, wanted, got, strict=True):
        if right is not None and found != right:
            raise Fails(
                f"{name}: packet {short_hex(packet)} by port {port}: "
                f"{shown(found or ())} and not {shown(right)}"
            )


def shown(answer: Answer) -> str:
    return ", ".join(f"{short_hex(data)} by port {port}" for port, data in answer) or "nothing"


def short_hex(data: bytes) -> str:
    """Return bytes in hexadecimal; many zeros at the end are counted."""
    zeros = len(data) - len(data.rstrip(b"\0"))
    return f"{data[:-zeros].hex()}+{zeros}*00" if zeros > MOST_ZEROS else data.hex()
