"""The interp place: the typed program in the reference interpreter, no tool needed.

Requests are checked by the same code as for compiled programs, against a description of the
interpreter's tables; then they change the tables themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from p4xdp.deep import call_deep
from p4xdp.description import MOST_OF_GROUP, Action, ActionChoice, Field, Table
from p4xdp.diagnostics import CompileError, Diagnostics, fail
from p4xdp.frontend import typed
from p4xdp.interp import Architecture, Stuck, keysets, load, run_packet
from p4xdp.interp.architectures.traffic import Multiplied
from p4xdp.interp.events import Event
from p4xdp.interp.instances import local_name
from p4xdp.interp.keysets import Between, Masked, key_width
from p4xdp.interp.patterns import pattern_widths
from p4xdp.interp.tables import Choice, Entry, Indirect, OneOf, TableFull, TableState
from p4xdp.options import HOST_PORT
from p4xdp.runtime import profiles, requests
from p4xdp.runtime.cells import nanoseconds
from p4xdp.runtime.encode import (
    Match,
    array_index,
    called,
    chosen,
    completed,
    matches_of,
    priority_of,
    rule_of,
)
from p4xdp.runtime.messages import Digest
from p4xdp.runtime.names import resolve
from p4xdp.runtime.planning import check_timed
from p4xdp.runtime.requests import (
    ActionCall,
    AddEntry,
    Name,
    Number,
    RemoveAll,
    RemoveEntry,
    Request,
    ResetDefault,
    SetDefault,
    SetTimeout,
)
from p4xdp.stf.interp_objects import Objects, check_indirect, choice_of, data_parameters
from p4xdp.stf.place import Outcome, PacketRefused, PlaceError, Task, as_ports_say, check_port
from p4xdp.stf.syntax import VERDICTS, Unit

ARRAY_KEY_WIDTH = 32
MOST_PORT_WIDTH = 32
MOST_NUMBER_WIDTH = 32
"""Bits of the numbers of members and groups."""


@contextmanager
def open_interp(task: Task) -> Iterator[InterpPlace]:
    """Check the program and make it ready; raises PlaceError, CompileError."""
    architecture = open_program(task.compile.check(), task.on_reject)
    yield InterpPlace(architecture, task.host_port, task.cpu_port)


def open_program(program: typed.TypedProgram, on_reject: str) -> Architecture:
    """Return a program in its architecture; raises PlaceError, CompileError."""
    try:
        return call_deep(lambda: load(program, on_reject=on_reject))
    except Stuck as error:
        raise PlaceError(str(error)) from error


class InterpPlace:
    """A program in the interpreter; `undefined_read` is that of the packet before.

    `host_port` counts where the program has ports of its own, `cpu_port` where its architecture
    has one: what is behind it is a controller then, and this machine otherwise.
    """

    def __init__(
        self,
        architecture: Architecture,
        host_port: int = HOST_PORT,
        cpu_port: int | None = None,
    ) -> None:
        self._host_port = host_port if architecture.has_ports else None
        self._cpu_port = cpu_port if cpu_port is not None else host_port
        self._controller = cpu_port
        self.control = InterpControl(architecture)
        self.undefined_read = False
        self._architecture = architecture

    def send(self, port: int, data: bytes) -> Outcome:
        return self.trace(port, data, None)

    def trace(self, port: int, data: bytes, trace: Callable[[Event], None] | None) -> Outcome:
        """Run a packet and tell `trace` each step; raises PlaceError."""
        numbers = self._architecture.numbers
        check_port(port, numbers.port if numbers else MOST_PORT_WIDTH)
        try:
            arrival = self._arrival(port)
            done = call_deep(lambda: run_packet(self._architecture, arrival, data, trace))
        except Multiplied as error:
            raise PacketRefused(str(error)) from error
        except Stuck as error:
            raise PlaceError(str(error)) from error
        self.undefined_read = done.undefined_read
        verdict = next(v for v in VERDICTS if v == done.verdict)
        digests = tuple(Digest(d.name, d.receiver, dict(d.fields)) for d in done.digests)
        more = tuple((self._named(one), data) for one, data in done.more)
        outcome = Outcome(verdict, self._named(done.port), done.data, more=more, digests=digests)
        return as_ports_say(outcome, port, self._host_port)

    def _named(self, port: int) -> int:
        """Return the number by which every place calls a port."""
        is_cpu = port == self._architecture.cpu_port
        return self._cpu_port if is_cpu else port

    def _arrival(self, port: int) -> int:
        """Return the number by which the program calls a port that a packet comes by."""
        own = self._architecture.cpu_port
        return own if own is not None and port == self._controller else port

    def set_clock(self, nanoseconds: int) -> None:
        """Say what the time is: the clock goes on by itself nowhere."""
        self._architecture.machine.now = nanoseconds // 1000

    def stray(self) -> tuple[tuple[int, bytes], ...]:
        return ()


# The control plane


class InterpControl:
    """The interpreter's tables and extern objects, by their control-plane names."""

    def __init__(self, architecture: Architecture) -> None:
        machine = architecture.machine
        self._machine = machine
        self._tables = {name: described(state) for name, state in machine.tables.items()}
        self._defaults = {name: state.default for name, state in machine.tables.items()}
        self._objects = Objects(machine, self._tables, architecture.numbers)

    @property
    def tables(self) -> Mapping[str, TableState]:
        """The tables, by their control-plane names."""
        return self._machine.tables

    def apply(self, wanted: Sequence[Request]) -> None:
        """Carry out requests in order; nothing is changed when one of them is wrong in itself.

        What depends on those before it (`entry-full`, a member of a profile) is seen in its turn.
        """
        diagnostics = Diagnostics()
        changes: list[Callable[[], None]] = []
        self._objects.begin()
        for request in wanted:
            try:
                changes.append(self._planned(request))
            except CompileError as error:
                for diagnostic in error.diagnostics:
                    diagnostics.add(diagnostic)
        diagnostics.stop_on_error()
        self._objects.commit()
        for change in changes:
            change()

    def counter(self, name: Name, index: Number | AddEntry, unit: Unit | None = None) -> int:
        if isinstance(index, AddEntry):
            return self._objects.direct_counter(name, self._entry(index), unit)
        return self._objects.counter(name, index, unit)

    def _planned(self, request: Request) -> Callable[[], None]:
        """Check a request as far as that can be done beforehand; return what carries it out."""
        match request:
            case AddEntry():
                return self._planned_entry(request)
            case RemoveEntry():
                return self._planned_removal(request)
            case SetDefault():
                return self._planned_default(request)
            case SetTimeout():
                return self._planned_timeout(request)
            case ResetDefault():
                return self._planned_reset(request)
            case RemoveAll():
                return self._planned_clearing(request)
            case _:
                return self._objects.planned(request)

    def _planned_clearing(self, request: RemoveAll) -> Callable[[], None]:
        states = list(self._machine.tables.values())
        if request.table is not None:
            states = [self._find(request.table)[1]]

        def change() -> None:
            for state in states:
                state.clear()

        return change

    def _find(self, name: Name) -> tuple[Table, TableState]:
        tables = list(self._tables.values())
        table = resolve(name, tables, lambda table: table.name, "entry-table", "table")
        return table, self._machine.tables[table.name]

    def _planned_entry(self, request: AddEntry) -> Callable[[], None]:
        table, state = self._find(request.table)
        if state.is_constant:
            text = f"the entries of table `{table.name}` are constant"
            raise fail("entry-constant", request.table.span, text)
        entry = self._entry(request)
        if table.kind == "array":
            array_index(rule_of(table, request), request.keys[0].value.span)
        return lambda: _add(state, entry, request)

    def _entry(self, written: AddEntry) -> Entry:
        """Return the entry that a request makes."""
        table, state = self._find(written.table)
        request = completed(table, written)
        matches, priority = _matches(table, request), priority_of(table, request)
        choice = _chosen(table, state, request.action, for_default=False)
        return Entry(matches, choice, priority, span=request.span)

    def _planned_removal(self, request: RemoveEntry) -> Callable[[], None]:
        table, state = self._find(request.entry.table)
        if state.is_constant:
            text = f"the entries of table `{table.name}` are constant"
            raise fail("entry-constant", request.span, text)
        entry = self._entry(request.entry)

        def change() -> None:
            if not state.remove(entry):
                raise fail("entry-key", request.span, f"table `{table.name}` has no such entry")

        return change

    def _planned_timeout(self, request: SetTimeout) -> Callable[[], None]:
        """Time stands still here, so that no entry gets out of date; it has to be there."""
        table, state = self._find(request.entry.table)
        check_timed(table.name, state.has_timeouts, request.span)
        entry = self._entry(request.entry)
        nanoseconds(request.milliseconds)

        def change() -> None:
            if not state.has(entry):
                raise fail("entry-key", request.span, f"table `{table.name}` has no such entry")

        return change

    def _planned_reset(self, request: ResetDefault) -> Callable[[], None]:
        table, state = self._find(request.table)
        first = self._defaults[table.name]

        def change() -> None:
            state.default = first

        return change

    def _planned_default(self, request: SetDefault) -> Callable[[], None]:
        table, state = self._find(request.table)
        choice = _chosen(table, state, request.action, for_default=True)
        if state.table.default_const:
            text = f"the default action of table `{table.name}` is constant"
            raise fail("entry-constant", request.table.span, text)

        def change() -> None:
            check_indirect(state, choice, request.action)
            state.default = choice

        return change


def _matches(table: Table, request: AddEntry) -> tuple[keysets.Match, ...]:
    pairs = zip(table.keys, matches_of(table, request), strict=True)
    return tuple([_match(field, one) for field, one in pairs])


def _chosen(
    table: Table,
    state: TableState,
    written: ActionCall | requests.Indirect | requests.ActionSet,
    *,
    for_default: bool,
) -> Choice | Indirect | OneOf:
    """Return what an entry or a default leads to; raises CompileError."""
    profile = state.profile
    if profile is None:
        return _choice(table, state, called(table, written), for_default=for_default)
    action = profiles.indirect(written, state.action_names)
    if isinstance(action, ActionCall):
        return _choice(table, state, action, for_default=for_default)
    if isinstance(action, requests.Indirect):
        if action.is_group and not profile.has_groups:
            text = f"the action profile of table `{table.name}` has no groups"
            raise fail("entry-object", action.number.span, text)
        if action.number.value >> MOST_NUMBER_WIDTH:
            kind = profiles.GROUP if action.is_group else profiles.MEMBER
            raise profiles.missing(kind, action.number)
        return Indirect(action.number.value, action.is_group)
    if not profile.has_groups:
        raise profiles.no_groups(table.name, action.span)
    most = min(profile.size, MOST_OF_GROUP)
    profiles.check_room(sum(weight for _, weight in action.choices), most, action.span)
    made = [(_choice(table, state, one, for_default=False), w) for one, w in action.choices]
    return OneOf(tuple([choice for choice, weight in made for _ in range(weight)]))


def _choice(table: Table, state: TableState, call: ActionCall, *, for_default: bool) -> Choice:
    return choice_of(state, *chosen(table, call, for_default=for_default))


def _add(state: TableState, entry: Entry, request: AddEntry) -> None:
    check_indirect(state, entry.choice, request.action)
    try:
        state.add(entry)
    except TableFull:
        text = f"table `{state.name}` is full: its size is {state.size}"
        help = "give the table a greater `size`"
        raise fail("entry-full", request.span, text, help=help) from None


def _match(field: Field, match: Match) -> keysets.Match:
    if field.match == "range":
        if (match.low, match.high) == (0, (1 << field.width) - 1):
            return keysets.Any()
        return Between(match.low, match.high)
    return Masked(match.value, match.mask)


# What the checks of requests need to know


def described(state: TableState) -> Table:
    """Return a table as the checks of requests see it; layouts have no meaning here."""
    keys = tuple(
        Field(key.name, f"field{i}", key_width(key.expression.type), 0, 0, key.match_kind)
        for i, key in enumerate(state.keys)
    )
    one = len(keys) == 1 and keys[0].width <= ARRAY_KEY_WIDTH and keys[0].match == "exact"
    return Table(
        name=state.name,
        c_name=state.name,
        kind="array" if one and state.implementation == "array_table" else "hash",
        map=None if state.is_constant else state.name,
        size=state.size,
        keys=keys,
        key_size=0,
        value_size=0,
        actions=tuple(_action(state, index) for index in range(len(state.actions))),
        default=ActionChoice(0, ()),
        default_map=None,
        smallest_first=state.smallest_wins,
    )


def _action(state: TableState, index: int) -> Action:
    listed = state.actions[index]
    data = tuple(
        Field(name, name, width, 0, 0)
        for parameter in data_parameters(listed)
        for name, width in pattern_widths(
            local_name(parameter.name, parameter.annotations), parameter.type
        )
    )
    name = state.action_names[index]
    return Action(name, name, index, data, listed.table_only, listed.default_only)
