"""What a control plane asks of the interpreter beside its tables: counters, registers, meters,
hashes, action profiles, groups and sessions.

A request is checked against the program's objects; what carries it out comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import assert_never

from p4xdp.description import MOST_OF_GROUP, Action, Table, Widths
from p4xdp.diagnostics import CompileError, Span, fail
from p4xdp.frontend import typed
from p4xdp.interp.architectures.arrays import (
    Count,
    Counters,
    DirectCounters,
    DirectMeters,
    Meter,
    Meters,
    Rate,
    Registers,
)
from p4xdp.interp.architectures.counters import CounterArray
from p4xdp.interp.crc import Crc
from p4xdp.interp.machine import ExternObject, Machine
from p4xdp.interp.patterns import from_patterns, pattern_widths
from p4xdp.interp.replication import Replica, Replication
from p4xdp.interp.tables import Choice, Entry, EntryKey, Indirect, OneOf, Profile, TableState
from p4xdp.interp.values import Value
from p4xdp.runtime import cells, profiles
from p4xdp.runtime.encode import chosen_in_each
from p4xdp.runtime.names import resolve
from p4xdp.runtime.replication import Copy, ReplicationState
from p4xdp.runtime.requests import (
    ActionCall,
    ActionSet,
    AddSession,
    AssociateNode,
    CellRequest,
    CreateGroup,
    CreateMember,
    CreateMemberGroup,
    CreateNode,
    DeleteGroup,
    DeleteMember,
    DeleteMemberGroup,
    DeleteNode,
    DeleteSession,
    Indirect as IndirectAction,
    Inspect,
    JoinGroup,
    ModifyMember,
    Name,
    Number,
    ProfileRequest,
    ReplicationRequest,
    SetCrc,
    SetGroup,
    SetMemberGroup,
    SetRates,
    UpdateNode,
    WriteCounter,
    WriteRegister,
)
from p4xdp.stf.syntax import Unit

Change = Callable[[], None]


class Objects:
    """The extern objects of a program by their control-plane names; `tables` are described."""

    def __init__(
        self, machine: Machine, tables: Mapping[str, Table], widths: Widths | None
    ) -> None:
        self._machine = machine
        self._tables = tables
        self._replicates = widths is not None
        self._replication = ReplicationState(widths or Widths())
        self._wanted = self._replication
        machine.replication = Replication(
            lambda group: _replicas(self._replication.copies(group)),
            lambda session: _replicas(self._replication.clones(session)),
        )

    def begin(self) -> None:
        """Let `planned` change a copy of the groups and sessions, until `commit`."""
        self._wanted = self._replication.copy()

    def commit(self) -> None:
        self._replication = self._wanted

    def planned(self, request: CellRequest | ReplicationRequest | ProfileRequest) -> Change:
        """Return what carries a request out; both raise CompileError."""
        match request:
            case (
                CreateGroup()
                | DeleteGroup()
                | CreateNode()
                | UpdateNode()
                | DeleteNode()
                | AssociateNode()
                | SetGroup()
                | AddSession()
                | DeleteSession()
            ):
                if not self._replicates:
                    text = "a program for this architecture replicates no packets"
                    raise fail("entry-unsupported", request.span, text)
                self._wanted.carry_out(request)
                return lambda: None
            case WriteCounter():
                return self._write_counter(request)
            case WriteRegister():
                return self._write_register(request)
            case SetRates():
                return self._set_rates(request)
            case SetCrc():
                return self._set_crc(request)
            case Inspect():
                return self._inspect(request)
            case _:
                return self._profile(request)

    def _counters(self, name: Name) -> Counters | DirectCounters:
        objects = self._machine.objects.values()
        found = [o for o in objects if isinstance(o, Counters | DirectCounters)]
        return resolve(name, found, lambda o: o.path, "entry-counter", "counter")

    def _meters(self, name: Name) -> Meters | DirectMeters:
        found = [o for o in self._machine.objects.values() if isinstance(o, Meters | DirectMeters)]
        return resolve(name, found, lambda o: o.path, "entry-object", "meter")

    def _registers(self, name: Name) -> Registers:
        found = [o for o in self._machine.objects.values() if isinstance(o, Registers)]
        return resolve(name, found, lambda o: o.path, "entry-object", "register")

    # Counters

    def counter(self, name: Name, index: Number, unit: Unit | None) -> int:
        """Return a cell of an indexed counter; raises CompileError (`entry-counter`)."""
        objects = self._machine.objects.values()
        found = [o for o in objects if isinstance(o, Counters | CounterArray)]
        counter = resolve(name, found, lambda c: c.path, "entry-counter", "counter")
        sparse = isinstance(counter, CounterArray) and counter.sparse
        if not sparse and index.value >= counter.size:
            text = f"counter `{counter.path}` has no cell {index.value}: its size is {counter.size}"
            raise fail("entry-counter", index.span, text)
        if isinstance(counter, CounterArray):
            if unit == "bytes":
                raise _no_unit(counter.path, "bytes", name.span)
            return counter.cells.get(index.value, 0)
        count = counter.cells.get(index.value, Count())
        return _in_unit(count, counter.path, counter.units, unit, name.span)

    def direct_counter(self, name: Name, entry: Entry, unit: Unit | None) -> int:
        """Return the count of an entry; raises CompileError (`entry-counter`)."""
        found = [o for o in self._machine.objects.values() if isinstance(o, DirectCounters)]
        counter = resolve(name, found, lambda c: c.path, "entry-counter", "direct counter")
        count = counter.cells.get(entry.key, Count())
        return _in_unit(count, counter.path, counter.units, unit, name.span)

    def _write_counter(self, request: WriteCounter) -> Change:
        found = self._counters(request.counter)
        count = Count(cells.counted_as(request.packets), cells.counted_as(request.bytes))
        if isinstance(found, DirectCounters):
            return lambda: found.cells.update(
                (key, count) for key in self._entries_with(found, request.index, request.span)
            )
        indexes = _cells(found.path, found.size, request.index, "counter")
        return lambda: found.cells.update((index, count) for index in indexes)

    # Registers, meters, hashes

    def _write_register(self, request: WriteRegister) -> Change:
        found = self._registers(request.register)
        indexes = _cells(found.path, found.size, request.index, "register")
        value = _register_value(found, request.value)

        def change() -> None:
            for index in indexes:
                found.write(index, value)

        return change

    def _set_rates(self, request: SetRates) -> Change:
        found = self._meters(request.meter)
        wanted = cells.checked_rates(request.rates, request.span)
        rates = [Rate(rate.rate, rate.burst) for rate in wanted]
        now = self._machine.now
        if isinstance(found, DirectMeters):
            return lambda: self._set_direct(found, rates, request, now)
        indexes = _cells(found.path, found.size, request.index, "meter")

        def change() -> None:
            for index in indexes:
                found.cells.setdefault(index, Meter()).set(rates, now)

        return change

    def _set_direct(
        self, meters: DirectMeters, rates: Sequence[Rate], request: SetRates, now: int
    ) -> None:
        """Set the rates of all entries of the table, or of the one that was made as number
        `index`."""
        for key in self._entries_with(meters, request.index, request.span):
            meters.cells.setdefault(key, Meter()).set(rates, now)

    def _entries_with(
        self, direct: DirectCounters | DirectMeters, index: Number | None, span: Span
    ) -> list[EntryKey]:
        """Return the entries of the table of a direct object, or the one that was made as number
        `index`; raises CompileError (`entry-key`)."""
        state = next(one for one in self._machine.tables.values() if direct in one.direct)
        if index is None:
            return [entry.key for entry in state.entries]
        numbers = state.numbers()
        if index.value not in numbers:
            raise cells.no_entry(state.name, index.value, span)
        return [numbers[index.value]]

    def _set_crc(self, request: SetCrc) -> Change:
        numbers = (request.polynomial, request.initial, request.final)
        for number in numbers:
            if number.value >> request.width:
                text = f"{number.text} does not fit a CRC of {request.width} bits"
                raise fail("entry-value", number.span, text)
        polynomial, initial, final = (number.value for number in numbers)
        flags = (request.reflect_in, request.reflect_out)
        made = Crc(request.width, polynomial, initial, final, *flags)

        def change() -> None:
            self._machine.crc[request.width] = made

        return change

    def _inspect(self, request: Inspect) -> Change:
        """A cell that is asked for has to be there."""
        match request.kind:
            case "counter":
                found: ExternObject = self._counters(request.name)
            case "register":
                found = self._registers(request.name)
            case "meter":
                found = self._meters(request.name)
        if isinstance(found, Counters | Registers | Meters):
            _cells(found.path, found.size, request.index, request.kind)
            return lambda: None
        assert isinstance(found, DirectCounters | DirectMeters)
        return lambda: self._look_at(found, request)

    def _look_at(self, direct: DirectCounters | DirectMeters, request: Inspect) -> None:
        self._entries_with(direct, request.index, request.span)

    # Action profiles

    def _profile(self, request: ProfileRequest) -> Change:
        states, path, profile = self._with(request)
        if isinstance(request, CreateMemberGroup | DeleteMemberGroup | JoinGroup | SetMemberGroup):
            return self._profile_group(states, profile, request)
        match request:
            case CreateMember(action=action):
                create = request
                runs = self._runs(states, path, action)
                return lambda: _create_member(profile, create, runs)
            case ModifyMember(action=action):
                modify = request
                runs = self._runs(states, path, action)
                return lambda: _modify_member(states, profile, modify, runs)
            case DeleteMember(member=gone):
                return lambda: self._delete_member(profile, gone)
            case _:
                assert_never(request)

    def _runs(
        self, states: Sequence[TableState], path: str, action: ActionCall
    ) -> dict[str, Choice]:
        """Return what a member with an action is in each of its profile's tables."""
        tables = [self._tables[state.name] for state in states]
        found = chosen_in_each(tables, action, profiles.whose(path))
        return {s.name: choice_of(s, *one) for s, one in zip(states, found, strict=True) if one}

    def _delete_member(self, profile: Profile, number: Number) -> None:
        member = _member(profile, number)
        for group, members in profile.groups.items():
            if member in members:
                raise profiles.still_used("member", number, f"group {group}")
        self._refuse_used(profile, number, False)
        del profile.members[member]

    def _profile_group(
        self,
        states: Sequence[TableState],
        profile: Profile,
        request: CreateMemberGroup | DeleteMemberGroup | JoinGroup | SetMemberGroup,
    ) -> Change:
        if not profile.has_groups:
            raise profiles.no_groups(_path(profile), request.profile.span)
        match request:
            case CreateMemberGroup():
                create = request
                return lambda: _create_group(profile, create)
            case DeleteMemberGroup(group=old):
                return lambda: self._delete_group(profile, old)
            case SetMemberGroup():
                whole = request
                return lambda: _set_group(states, profile, whole)
            case JoinGroup():
                join = request
                return lambda: _join_group(states, profile, join)
            case _:
                assert_never(request)

    def _delete_group(self, profile: Profile, number: Number) -> None:
        _group(profile, number)
        self._refuse_used(profile, number, True)
        del profile.groups[number.value]

    def _with_profiles(self) -> list[TableState]:
        return [s for s in self._machine.tables.values() if s.profile is not None]

    def _refuse_used(self, profile: Profile, number: Number, is_group: bool) -> None:
        """Raise CompileError for a member or group that something leads to."""
        used = Indirect(number.value, is_group)
        for state in self._with_profiles():
            if state.profile is profile and used in _led_to(state):
                what = "group" if is_group else "member"
                raise profiles.still_used(what, number, f"table `{state.name}`")

    def _with(self, request: ProfileRequest) -> tuple[list[TableState], str, Profile]:
        """Return a profile and its path with the tables that it belongs to."""
        by_path: dict[str, list[TableState]] = {}
        for state in self._with_profiles():
            if isinstance(state.profile, ExternObject):
                by_path.setdefault(state.profile.path, []).append(state)
        users = {path: [one.name for one in states] for path, states in by_path.items()}
        path = profiles.find(request, users)
        states = by_path[path]
        assert states[0].profile is not None
        return states, path, states[0].profile


# Cells


def _replicas(copies: Sequence[Copy]) -> tuple[Replica, ...]:
    return tuple([Replica(port, rid) for port, rid in copies])


def _in_unit(count: Count, path: str, units: tuple[str, ...], unit: Unit | None, span: Span) -> int:
    wanted = unit or units[0]
    if wanted not in units:
        raise _no_unit(path, wanted, span)
    return count.bytes if wanted == "bytes" else count.packets


def _no_unit(path: str, unit: str, span: Span) -> CompileError:
    return fail("entry-counter", span, f"counter `{path}` does not count {unit}")


def _cells(path: str, size: int, index: Number | None, what: str) -> range:
    """Return the cells that an index means, all of them where there is none."""
    if index is None:
        return range(size)
    if index.value >= size:
        code = "entry-counter" if what == "counter" else "entry-object"
        text = f"{what} `{path}` has no cell {index.value}: its size is {size}"
        raise fail(code, index.span, text)
    return range(index.value, index.value + 1)


def _register_value(register: Registers, number: Number) -> Value:
    """Return a number as a value of the register's type; its first scalar stands highest."""
    widths = [width for _, width in pattern_widths("", register.kind)]
    left = sum(widths)
    if number.value >> left:
        raise cells.value_misfit(register.path, left, number)
    return from_patterns(register.kind, _split(number.value, widths))


def _split(value: int, widths: Sequence[int]) -> Iterator[int]:
    left = sum(widths)
    for width in widths:
        left -= width
        yield value >> left & ((1 << width) - 1)


# Members and groups


def choice_of(state: TableState, action: Action, data: Sequence[int]) -> Choice:
    """Return an action with its data as the interpreter runs it."""
    listed = state.actions[action.id]
    rest = iter(data)
    values: list[Value] = [from_patterns(p.type, rest) for p in data_parameters(listed)]
    return Choice(listed, tuple(values))


def data_parameters(action: typed.TableAction) -> tuple[typed.Parameter, ...]:
    """Return the parameters whose values come from the entry."""
    return action.action.parameters[len(action.arguments) :]


def check_indirect(
    state: TableState,
    choice: Choice | Indirect | OneOf,
    written: ActionCall | IndirectAction | ActionSet,
) -> None:
    """Raise CompileError for a member or group that is not there, or not for the table."""
    if not isinstance(choice, Indirect) or isinstance(written, ActionSet):
        return
    assert state.profile is not None
    number = written.arguments[0].value if isinstance(written, ActionCall) else written.number
    group = number.value if choice.is_group else None
    wanted = (
        _group(state.profile, number) if group is not None else [_member(state.profile, number)]
    )
    for one in wanted:
        if state.name not in state.profile.members[one]:
            raise profiles.foreign(one, group, state.name, number.span)


def _led_to(state: TableState) -> list[Choice | Indirect | OneOf]:
    return [state.default, *(entry.choice for entry in state.entries)]


def _refuse_foreign(
    states: Sequence[TableState], profile: Profile, group: int, numbers: Sequence[Number]
) -> None:
    """Raise CompileError for a member of a group that a table which leads to it cannot run."""
    for state in [one for one in states if Indirect(group, True) in _led_to(one)]:
        for number in numbers:
            if state.name not in profile.members[number.value]:
                raise profiles.foreign(number.value, group, state.name, number.span)


def _path(profile: Profile) -> str:
    assert isinstance(profile, ExternObject)
    return profile.path


def _check_groups(profile: Profile, group: int, span: Span) -> None:
    """Raise CompileError where there is no room for a group."""
    if group not in profile.groups and len(profile.groups) >= profile.size:
        raise profiles.no_more_groups(_path(profile), profile.size, span)


def _member(profile: Profile, number: Number) -> int:
    if number.value not in profile.members:
        raise profiles.missing(profiles.MEMBER, number)
    return number.value


def _group(profile: Profile, number: Number) -> list[int]:
    if number.value not in profile.groups:
        raise profiles.missing(profiles.GROUP, number)
    return profile.groups[number.value]


def _create_member(profile: Profile, request: CreateMember, runs: Mapping[str, Choice]) -> None:
    members, number = profile.members, request.member
    member = profiles.free(set(members)) if number is None else number.value
    profiles.check_free(member, members, "member", number.span if number else request.span)
    if len(members) >= profile.size:
        raise profiles.full(_path(profile), profile.size, request.span)
    members[member] = runs


def _modify_member(
    states: Sequence[TableState],
    profile: Profile,
    request: ModifyMember,
    runs: Mapping[str, Choice],
) -> None:
    member = _member(profile, request.member)
    groups = [group for group, members in profile.groups.items() if member in members]
    ways = [Indirect(member), *(Indirect(group, True) for group in groups)]
    for state in states:
        if state.name not in runs and any(way in _led_to(state) for way in ways):
            raise profiles.still_run(member, state.name, request.action)
    profile.members[member] = runs


def _create_group(profile: Profile, request: CreateMemberGroup) -> None:
    groups, number = profile.groups, request.group
    group = profiles.free(set(groups)) if number is None else number.value
    profiles.check_free(group, groups, "group", number.span if number else request.span)
    _check_groups(profile, group, request.span)
    groups[group] = []


def _set_group(states: Sequence[TableState], profile: Profile, request: SetMemberGroup) -> None:
    profiles.check_free(request.group.value, (), "group", request.group.span)
    numbers = [number for number, _ in request.members]
    for number in numbers:
        _member(profile, number)
    _check_groups(profile, request.group.value, request.span)
    _refuse_foreign(states, profile, request.group.value, numbers)
    most = min(profile.size, MOST_OF_GROUP)
    profile.groups[request.group.value] = profiles.weighted(request, most)


def _join_group(states: Sequence[TableState], profile: Profile, request: JoinGroup) -> None:
    members = _group(profile, request.group)
    _member(profile, request.member)
    most = min(profile.size, MOST_OF_GROUP)
    changed = profiles.joined(members, request, most)
    if not request.leave:
        _refuse_foreign(states, profile, request.group.value, [request.member])
    profile.groups[request.group.value] = changed
