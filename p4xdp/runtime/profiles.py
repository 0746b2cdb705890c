"""Members and groups of action profiles: requests as operations on maps.

A profile's members stand in the maps of its tables of members, alike in each; a group's value is
how many members it has and which. What depends on the members that are there is seen when a
request is carried out.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, assert_never

from p4xdp.description import OWN_MEMBER, Description, Profile, Table
from p4xdp.diagnostics import CompileError, Span, fail
from p4xdp.records import dataclass
from p4xdp.runtime.encode import Match, Rule, map_key, value_of
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
    SetMemberGroup,
)

MEMBER, GROUP = "member", "group"
"""The actions of a table whose entries name members and groups."""

NUMBER = struct.Struct("=I")


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


def find(name: Name, paths: Sequence[str]) -> str:
    """Return the profile that a name means; raises CompileError.

    One that the program makes inside of the table's properties has the table's name and that of the
    property, or the one that p4c gives it: `action_profile_0` and so on.
    """
    nameless = [p for p in paths if p.endswith((".implementation", ".psa_implementation"))]
    bmv2_names = {f"action_profile_{i}": path for i, path in enumerate(nameless)}
    return bmv2_names.get(name.text) or resolve(
        name, list(paths), lambda path: path, "entry-object", "action profile"
    )


def _profile(description: Description, name: Name) -> Profile:
    path = find(name, [profile.name for profile in description.all_profiles])
    return next(profile for profile in description.all_profiles if profile.name == path)


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
    call = ActionCall(Name(kind, action.number.span), (Argument(None, action.number),))
    return value_of(table, call, for_default=for_default)


def leads_to(table: Table, value: bytes) -> tuple[str, int]:
    """Return whether a value struct leads to a member or a group, and its number."""
    (id,) = NUMBER.unpack_from(value)
    action = next(action for action in table.actions if action.id == id)
    (number,) = struct.unpack_from(">I", value, action.data[0].offset)
    return action.name, number


def check_target(description: Description, maps: Maps, table: Table, action: Indirect) -> None:
    """Raise CompileError for a member or a group that is not there."""
    profile = profile_of(description, table)
    assert profile is not None
    if action.is_group:
        _group(maps, profile, action.number)
    else:
        _check_member(description, maps, profile, action.number)


# Members and groups as they are


def _members(description: Description, maps: Maps, profile: Profile) -> set[int]:
    """Return the numbers of the members that the control plane named."""
    table = _table(description, profile.tables[0][1])
    assert table.map is not None
    at = table.keys[0].offset
    numbers = {struct.unpack_from(">I", key, at)[0] for key in maps.keys(table.map)}
    return {number for number in numbers if number < OWN_MEMBER}


def _check_member(description: Description, maps: Maps, profile: Profile, number: Number) -> None:
    table = _table(description, profile.tables[0][1])
    assert table.map is not None
    is_named = number.value < OWN_MEMBER
    if not is_named or maps.lookup(table.map, member_key(table, number.value)) is None:
        raise fail("entry-object", number.span, f"there is no member {number.value}")


def _group(maps: Maps, profile: Profile, number: Number) -> list[int]:
    """Return the members of a group; raises CompileError for one that is not there."""
    value = None
    if profile.groups is not None and number.value < OWN_MEMBER:
        value = maps.lookup(profile.groups, NUMBER.pack(number.value))
    if value is None:
        raise fail("entry-object", number.span, f"there is no group {number.value}")
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


# Requests


@dataclass(frozen=True, slots=True)
class ProfileChange:
    """A request that fits the description; `values` are the action's value structs, one for each
    table of members."""

    request: ProfileRequest
    profile: Profile
    values: tuple[bytes, ...] = ()

    @property
    def span(self) -> Span:
        return self.request.span

    def carry_out(self, description: Description, maps: Maps, users: Users) -> None:
        """Raises CompileError, BpfError."""
        match self.request:
            case CreateMember(member=number):
                self._create_member(description, maps, number)
            case ModifyMember(member=number):
                _check_member(description, maps, self.profile, number)
                self._put_member(description, maps, number.value)
            case DeleteMember(member=number):
                self._delete_member(description, maps, users, number)
            case CreateMemberGroup(group=given):
                self._create_group(maps, given)
            case DeleteMemberGroup(group=group):
                self._delete_group(description, maps, users, group)
            case SetMemberGroup():
                self._set_group(description, maps, self.request)
            case JoinGroup():
                self._join(description, maps, self.request)
            case _:
                assert_never(self.request)

    def _create_member(self, description: Description, maps: Maps, number: Number | None) -> None:
        members = _members(description, maps, self.profile)
        member = free(members) if number is None else number.value
        check_free(member, members, "member", number.span if number else self.span)
        if len(members) >= self.profile.size:
            raise full(self.profile.name, self.profile.size, self.span)
        self._put_member(description, maps, member)

    def _put_member(self, description: Description, maps: Maps, member: int) -> None:
        for (_, name), value in zip(self.profile.tables, self.values, strict=True):
            table = _table(description, name)
            assert table.map is not None
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
        for _, name in self.profile.tables:
            table = _table(description, name)
            assert table.map is not None
            maps.delete(table.map, member_key(table, number.value))

    def _refuse_used(
        self, description: Description, maps: Maps, users: Users, kind: str, number: Number
    ) -> None:
        for name, _ in self.profile.tables:
            table = _table(description, name)
            if any(leads_to(table, v) == (kind, number.value) for v in users(maps, table)):
                raise still_used(kind, number, f"table `{name}`")

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
            text = f"action profile `{self.profile.name}` has {self.profile.size} groups already"
            raise fail("entry-full", self.span, text) from None

    def _delete_group(
        self, description: Description, maps: Maps, users: Users, number: Number
    ) -> None:
        assert self.profile.groups is not None
        _group(maps, self.profile, number)
        self._refuse_used(description, maps, users, GROUP, number)
        maps.settle()
        maps.delete(self.profile.groups, NUMBER.pack(number.value))

    def _set_group(self, description: Description, maps: Maps, request: SetMemberGroup) -> None:
        check_free(request.group.value, (), "group", request.group.span)
        for number, _ in request.members:
            _check_member(description, maps, self.profile, number)
        members = weighted(request, self.profile.group_size)
        self._put_group(maps, request.group.value, members)

    def _join(self, description: Description, maps: Maps, request: JoinGroup) -> None:
        members = _group(maps, self.profile, request.group)
        _check_member(description, maps, self.profile, request.member)
        changed = joined(members, request, self.profile.group_size)
        self._put_group(maps, request.group.value, changed)


def planned(description: Description, request: ProfileRequest) -> ProfileChange:
    """Return what carries a request out; raises CompileError with what is wrong with it."""
    profile = _profile(description, request.profile)
    match request:
        case CreateMember(action=action) | ModifyMember(action=action):
            values = tuple(
                value_of(_table(description, name), action, for_default=False)
                for _, name in profile.tables
            )
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


def still_used(what: str, number: Number, by: str) -> CompileError:
    text = f"{what} {number.value} cannot be deleted: {by} leads to it"
    return fail("entry-object", number.span, text)


def no_groups(name: str, span: Span) -> CompileError:
    text = f"action profile `{name}` has no groups: it is no action selector"
    return fail("entry-object", span, text)


def full(name: str, size: int, span: Span) -> CompileError:
    text = f"action profile `{name}` is full: its size is {size}"
    return fail("entry-full", span, text, help="give it a greater size")
