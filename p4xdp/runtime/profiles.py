"""Members and groups of action profiles: requests as operations on maps.

A profile's members stand in the maps of its tables of members, each in those of the tables that
have its action, and only these can lead to it; a group's value is how many members it has and
which. What depends on the members that are there is seen when a request is carried out.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol, assert_never

from p4xdp.description import OWN_MEMBER, Description, Profile, Table
from p4xdp.diagnostics import CompileError, Span, fail
from p4xdp.records import dataclass
from p4xdp.runtime.encode import Match, Rule, chosen_in_each, encoded, map_key, value_of
from p4xdp.runtime.libbpf import BpfError
from p4xdp.runtime.names import resolve
from p4xdp.runtime.requests import (
    ActionCall,
    ActionSet,
    Argument,
    CreateMember,
    CreateMemberGroup,
    DeleteMember,
    DeleteMemberGroup,
    Indirect,
    JoinGroup,
    ModifyMember,
    Name,
    Number,
    ProfileRequest,
    Request,
    SetMemberGroup,
)

MEMBER, GROUP = "member", "group"
"""The actions of a table whose entries name members and groups."""

NUMBER = struct.Struct("=I")

NO_ACTION = 0xFFFFFFFF
"""The action of a member that no table which packets reach could run."""


class Maps(Protocol):
    def update(self, name: str, key: bytes, value: bytes, flags: int = 0) -> None: ...

    def lookup(self, name: str, key: bytes) -> bytes | None: ...

    def delete(self, name: str, key: bytes) -> bool: ...

    def keys(self, name: str) -> Iterable[bytes]: ...

    def settle(self) -> None:
        """Return when no packet is in the program that came in before the call, and may still be
        on its way to a member that nothing leads to any more."""


class Users(Protocol):
    """What a profile's tables lead to now."""

    def __call__(self, maps: Maps, table: Table) -> Iterable[bytes]:
        """Return the value structs of a table's entries, and that of its default action."""


# Which profile


def find(request: ProfileRequest, tables: Mapping[str, Sequence[str]]) -> str:
    """Return the profile that a request names, or whose table it names, of those that `tables` has
    with their tables; raises CompileError.

    One that the program makes inside of the table's properties has the table's name and that of the
    property, or the one that p4c gives it: `action_profile_0` and so on.
    """
    name = request.profile
    if request.by_table:
        of = {table: path for path, users in tables.items() for table in users}
        return of[resolve(name, list(of), str, "entry-table", "table with an action profile")]
    nameless = [p for p in tables if p.endswith((".implementation", ".psa_implementation"))]
    bmv2_names = {f"action_profile_{i}": path for i, path in enumerate(nameless)}
    return bmv2_names.get(name.text) or resolve(
        name, list(tables), str, "entry-object", "action profile"
    )


def _profile(description: Description, request: ProfileRequest) -> Profile:
    every = description.all_profiles
    path = find(request, {one.name: [table for table, _ in one.tables] for one in every})
    return next(profile for profile in description.all_profiles if profile.name == path)


def filled_by(description: Description, requests: Iterable[Request]) -> frozenset[str]:
    """Return the profiles that requests make members or groups of; raises CompileError."""
    return frozenset(
        _profile(description, request).name
        for request in requests
        if isinstance(request, CreateMember | CreateMemberGroup)
    )


def profile_of(description: Description, table: Table) -> Profile | None:
    """Return the profile whose members the entries of a table name."""
    for profile in description.all_profiles:
        if any(name == table.name for name, _ in profile.tables):
            return profile
    return None


def is_of_members(description: Description, table: Table) -> bool:
    return any(table.name == name for p in description.all_profiles for _, name in p.tables)


def members_table(description: Description, table: Table) -> Table:
    """Return the table that holds the members for a table."""
    pairs = (pair for profile in description.all_profiles for pair in profile.tables)
    name = next(members for user, members in pairs if user == table.name)
    return _table(description, name)


def _table(description: Description, name: str) -> Table:
    return next(table for table in description.all_tables if table.name == name)


def member_key(table: Table, member: int) -> bytes:
    """Return the key of a member in a table of members."""
    return map_key(Rule(table, (Match(member, 0xFFFFFFFF, 32),), 0))


# Entries


def indirect(
    action: ActionCall | Indirect | ActionSet, listed: Iterable[str]
) -> ActionCall | Indirect | ActionSet:
    """Return what an entry leads to: `member(3)` and `group(3)` are no actions, unless the table
    lists some that are called so."""
    if not isinstance(action, ActionCall) or len(action.arguments) != 1:
        return action
    name = action.name.text
    if name not in (MEMBER, GROUP) or any(one.rpartition(".")[2] == name for one in listed):
        return action
    return Indirect(action.arguments[0].value, name == GROUP)


def numbered(table: Table, action: Indirect, *, for_default: bool) -> bytes:
    """Return the value struct of an entry that leads to a member or a group."""
    kind = GROUP if action.is_group else MEMBER
    if all(one.name != kind for one in table.actions):
        text = f"the action profile of table `{table.name}` has no groups"
        raise fail("entry-object", action.number.span, text)
    if action.number.value >> 8 * NUMBER.size:
        raise missing(kind, action.number)
    call = ActionCall(Name(kind, action.number.span), (Argument(None, action.number),))
    return value_of(table, call, for_default=for_default)


def leads_to(table: Table, value: bytes) -> tuple[str, int]:
    """Return whether a value struct leads to a member or a group, and its number."""
    (id,) = NUMBER.unpack_from(value)
    action = next(action for action in table.actions if action.id == id)
    (number,) = struct.unpack_from(">I", value, action.data[0].offset)
    return action.name, number


def check_target(description: Description, maps: Maps, table: Table, action: Indirect) -> None:
    """Raise CompileError for a member or a group that is not there, or not for the table."""
    profile = profile_of(description, table)
    assert profile is not None
    number, group = action.number, action.number.value if action.is_group else None
    if action.is_group:
        wanted = _group(maps, profile, number)
    else:
        _check_member(description, maps, profile, number)
        wanted = [number.value]
    members = members_table(description, table)
    for one in wanted:
        if not _is_for(maps, members, one):
            raise foreign(one, group, table.name, number.span)


# Members and groups as they are


def _reached(description: Description, profile: Profile) -> Iterator[tuple[Table, Table]]:
    """Yield the tables that packets reach, each with the one that holds its members."""
    absent = {table.name for table in description.absent.tables}
    for name, members in profile.tables:
        if name not in absent:
            yield _table(description, name), _table(description, members)


def _members(description: Description, maps: Maps, profile: Profile) -> set[int]:
    """Return the numbers of the members that the control plane named."""
    numbers: set[int] = set()
    for _, table in _reached(description, profile):
        assert table.map is not None
        at = table.keys[0].offset
        numbers.update(struct.unpack_from(">I", key, at)[0] for key in maps.keys(table.map))
    return {number for number in numbers if number < OWN_MEMBER}


def _check_member(description: Description, maps: Maps, profile: Profile, number: Number) -> None:
    tables = [members for _, members in _reached(description, profile)]
    is_named = number.value < OWN_MEMBER
    if not is_named or all(_member(maps, table, number.value) is None for table in tables):
        raise missing(MEMBER, number)


def missing(kind: str, number: Number) -> CompileError:
    """Return the error for a member or a group that is not there."""
    written = number.text or str(number.value)
    return fail("entry-object", number.span, f"there is no {kind} {written}")


def _member(maps: Maps, table: Table, number: int) -> bytes | None:
    assert table.map is not None
    return maps.lookup(table.map, member_key(table, number))


def _is_for(maps: Maps, table: Table, number: int) -> bool:
    """Tell whether what leads to a table of members can lead to a member."""
    value = _member(maps, table, number)
    return value is not None and NUMBER.unpack_from(value) != (NO_ACTION,)


def _group(maps: Maps, profile: Profile, number: Number) -> list[int]:
    """Return the members of a group; raises CompileError for one that is not there."""
    value = None
    if profile.groups is not None and number.value < OWN_MEMBER:
        value = maps.lookup(profile.groups, NUMBER.pack(number.value))
    if value is None:
        raise missing(GROUP, number)
    return group_members(value)


def group_members(value: bytes) -> list[int]:
    """Return the members in a group's value."""
    count, *numbers = struct.unpack(f"={len(value) // 4}I", value)
    return list(numbers[:count])


def group_value(profile: Profile, members: Iterable[int]) -> bytes:
    """Return a group's value, the members in rising order."""
    numbers = sorted(members)
    return struct.pack(f"={1 + len(numbers)}I", len(numbers), *numbers).ljust(
        4 * (1 + profile.group_size), b"\0"
    )


def _groups(maps: Maps, profile: Profile) -> Iterator[tuple[int, list[int]]]:
    """Yield the groups that the control plane named, with their members."""
    if profile.groups is None:
        return
    for key in list(maps.keys(profile.groups)):
        (number,) = NUMBER.unpack(key)
        value = maps.lookup(profile.groups, key)
        if value is not None and number < OWN_MEMBER:
            yield number, group_members(value)


def counts(description: Description, maps: Maps, profile: Profile) -> tuple[int, int]:
    """Return how many members and groups the control plane has named."""
    groups = sum(1 for _ in _groups(maps, profile))
    return len(_members(description, maps, profile)), groups


# Requests


@dataclass(frozen=True, slots=True)
class ProfileChange:
    """A request that fits the description; `values` are the action's value structs, one for each
    table of members, None for one that lacks the action."""

    request: ProfileRequest
    profile: Profile
    values: tuple[bytes | None, ...] = ()

    @property
    def span(self) -> Span:
        return self.request.span

    def carry_out(self, description: Description, maps: Maps, users: Users) -> None:
        """Raises CompileError, BpfError."""
        match self.request:
            case CreateMember(member=number):
                self._create_member(description, maps, number)
            case ModifyMember(member=number, action=action):
                self._modify_member(description, maps, users, number, action)
            case DeleteMember(member=number):
                self._delete_member(description, maps, users, number)
            case CreateMemberGroup(group=given):
                self._create_group(maps, given)
            case DeleteMemberGroup(group=group):
                self._delete_group(description, maps, users, group)
            case SetMemberGroup():
                self._set_group(description, maps, users, self.request)
            case JoinGroup():
                self._join(description, maps, users, self.request)
            case _:
                assert_never(self.request)

    def _create_member(self, description: Description, maps: Maps, number: Number | None) -> None:
        members = _members(description, maps, self.profile)
        member = free(members) if number is None else number.value
        check_free(member, members, "member", number.span if number else self.span)
        if len(members) >= self.profile.size:
            raise full(self.profile.name, self.profile.size, self.span)
        self._put_member(description, maps, member)

    def _modify_member(
        self,
        description: Description,
        maps: Maps,
        users: Users,
        number: Number,
        action: ActionCall,
    ) -> None:
        _check_member(description, maps, self.profile, number)
        groups = {group for group, of in _groups(maps, self.profile) if number.value in of}
        ways = {(MEMBER, number.value), *((GROUP, group) for group in groups)}
        values = self._values(description)
        for table, members in _reached(description, self.profile):
            if values[members.name] is None and ways & _led_to(maps, users, table):
                raise still_run(number.value, table.name, action)
        self._put_member(description, maps, number.value)

    def _values(self, description: Description) -> dict[str, bytes | None]:
        """Return the member's value by table of members."""
        names = [members for _, members in self.profile.tables]
        return dict(zip(names, self.values, strict=True))

    def _put_member(self, description: Description, maps: Maps, member: int) -> None:
        """Store a member for each table that has its action, or, if none of them is reached, as one
        that is there; take it from the others, which do not lead to it."""
        values = self._values(description)
        tables = [members for _, members in _reached(description, self.profile)]
        if not any(values[table.name] for table in tables):
            values[tables[0].name] = NUMBER.pack(NO_ACTION).ljust(tables[0].value_size, b"\0")
        for table in tables:
            assert table.map is not None
            value = values[table.name]
            if value is None:
                maps.delete(table.map, member_key(table, member))
            else:
                maps.update(table.map, member_key(table, member), value)

    def _delete_member(
        self, description: Description, maps: Maps, users: Users, number: Number
    ) -> None:
        _check_member(description, maps, self.profile, number)
        for group, members in _groups(maps, self.profile):
            if number.value in members:
                raise still_used("member", number, f"group {group}")
        self._refuse_used(description, maps, users, MEMBER, number)
        maps.settle()
        for _, table in _reached(description, self.profile):
            assert table.map is not None
            maps.delete(table.map, member_key(table, number.value))

    def _refuse_used(
        self, description: Description, maps: Maps, users: Users, kind: str, number: Number
    ) -> None:
        for table, _ in _reached(description, self.profile):
            if (kind, number.value) in _led_to(maps, users, table):
                raise still_used(kind, number, f"table `{table.name}`")

    def _create_group(self, maps: Maps, number: Number | None) -> None:
        assert self.profile.groups is not None
        groups = {group for group, _ in _groups(maps, self.profile)}
        group = free(groups) if number is None else number.value
        check_free(group, groups, "group", number.span if number else self.span)
        self._put_group(maps, group, ())

    def _put_group(self, maps: Maps, group: int, members: Iterable[int]) -> None:
        assert self.profile.groups is not None
        value = group_value(self.profile, members)
        try:
            maps.update(self.profile.groups, NUMBER.pack(group), value)
        except BpfError as error:
            if error.errno not in (errno.E2BIG, errno.ENOSPC):
                raise
            raise no_more_groups(self.profile.name, self.profile.size, self.span) from None

    def _delete_group(
        self, description: Description, maps: Maps, users: Users, number: Number
    ) -> None:
        assert self.profile.groups is not None
        _group(maps, self.profile, number)
        self._refuse_used(description, maps, users, GROUP, number)
        maps.settle()
        maps.delete(self.profile.groups, NUMBER.pack(number.value))

    def _set_group(
        self, description: Description, maps: Maps, users: Users, request: SetMemberGroup
    ) -> None:
        check_free(request.group.value, (), "group", request.group.span)
        numbers = [number for number, _ in request.members]
        for number in numbers:
            _check_member(description, maps, self.profile, number)
        self._refuse_foreign(description, maps, users, request.group.value, numbers)
        members = weighted(request, self.profile.group_size)
        self._put_group(maps, request.group.value, members)

    def _join(self, description: Description, maps: Maps, users: Users, request: JoinGroup) -> None:
        members = _group(maps, self.profile, request.group)
        _check_member(description, maps, self.profile, request.member)
        changed = joined(members, request, self.profile.group_size)
        if not request.leave:
            group = request.group.value
            self._refuse_foreign(description, maps, users, group, [request.member])
        self._put_group(maps, request.group.value, changed)

    def _refuse_foreign(
        self,
        description: Description,
        maps: Maps,
        users: Users,
        group: int,
        numbers: Sequence[Number],
    ) -> None:
        """Raise CompileError for a member of a group that a table which leads to it cannot run."""
        for table, members in _reached(description, self.profile):
            if (GROUP, group) not in _led_to(maps, users, table):
                continue
            for number in numbers:
                if not _is_for(maps, members, number.value):
                    raise foreign(number.value, group, table.name, number.span)


def _led_to(maps: Maps, users: Users, table: Table) -> set[tuple[str, int]]:
    """Return the members and groups that a table's entries and its default lead to."""
    return {leads_to(table, value) for value in users(maps, table)}


def planned(description: Description, request: ProfileRequest) -> ProfileChange:
    """Return what carries a request out; raises CompileError with what is wrong with it."""
    profile = _profile(description, request)
    match request:
        case CreateMember(action=action) | ModifyMember(action=action):
            tables = [_table(description, name) for _, name in profile.tables]
            runs = chosen_in_each(tables, action, whose(profile.name))
            pairs = zip(tables, runs, strict=True)
            values = tuple(None if one is None else encoded(table, *one) for table, one in pairs)
            return ProfileChange(request, profile, values)
        case CreateMemberGroup() | DeleteMemberGroup() | JoinGroup() | SetMemberGroup() if (
            profile.groups is None
        ):
            raise no_groups(profile.name, request.profile.span)
        case _:
            return ProfileChange(request, profile)


# What the interpreter says as well


def free(used: set[int]) -> int:
    """Return the least number that is free."""
    return next(number for number in range(len(used) + 1) if number not in used)


def check_free(number: int, used: Iterable[int], what: str, span: Span) -> None:
    """Raise CompileError for a number that a member or group has already, or cannot have."""
    if number >= OWN_MEMBER:
        raise fail("entry-value", span, f"the number of a {what} is less than {OWN_MEMBER:#x}")
    if number in used:
        raise fail("entry-object", span, f"there is a {what} {number} already")


def weighted(request: SetMemberGroup, most: int) -> list[int]:
    """Return the members of a group, each as often as its weight says; raises CompileError."""
    numbers = [number.value for number, weight in request.members for _ in range(weight)]
    check_room(len(numbers), most, request.span)
    return numbers


def check_room(count: int, most: int, span: Span) -> None:
    if count > most:
        raise fail("entry-full", span, f"a group has at most {most} members here")


def joined(members: Sequence[int], request: JoinGroup, most: int) -> list[int]:
    """Return the members of a group when one has joined or left it; raises CompileError."""
    member = request.member.value
    if request.leave != (member in members):
        belongs = "does not belong" if request.leave else "belongs already"
        text = f"member {member} {belongs} to group {request.group.value}"
        raise fail("entry-object", request.member.span, text)
    if request.leave:
        return [one for one in members if one != member]
    check_room(len(members) + 1, most, request.span)
    return [*members, member]


def whose(profile: str) -> str:
    return f"action profile `{profile}`"


_FOREIGN = "a table leads only to members whose action it lists for its entries"


def foreign(member: int, group: int | None, table: str, span: Span) -> CompileError:
    """Return what is wrong with a member that an entry of a table would lead to."""
    of = "" if group is None else f" of group {group}"
    text = f"member {member}{of} runs an action that entries of table `{table}` cannot have"
    return fail("entry-action", span, text, help=_FOREIGN)


def still_run(member: int, table: str, action: ActionCall) -> CompileError:
    """Return what is wrong with another action for a member that a table leads to."""
    name = action.name.text
    text = f"table `{table}` leads to member {member}, and its entries cannot have `{name}`"
    return fail("entry-action", action.name.span, text, help=_FOREIGN)


def still_used(what: str, number: Number, by: str) -> CompileError:
    text = f"{what} {number.value} cannot be deleted: {by} leads to it"
    return fail("entry-object", number.span, text)


def no_groups(name: str, span: Span) -> CompileError:
    text = f"action profile `{name}` has no groups: it is no action selector"
    return fail("entry-object", span, text)


def no_room(profile: str, span: Span) -> CompileError:
    """Return the error for an entry whose own members or group find no place."""
    text = f"action profile `{profile}` has no room for the actions of this entry"
    return fail("entry-full", span, text, help="give it a greater size")


def no_more_groups(profile: str, size: int, span: Span) -> CompileError:
    text = f"action profile `{profile}` has {size} groups already"
    return fail("entry-full", span, text, help="give it a greater size")


def full(name: str, size: int, span: Span) -> CompileError:
    text = f"action profile `{name}` is full: its size is {size}"
    return fail("entry-full", span, text, help="give it a greater size")
