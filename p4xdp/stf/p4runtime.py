"""Entries as JSON, in the form of the `sX-runtime.json` files of P4 tutorials.

`table_entries`, `action_profile_members`, `action_profile_groups`, `multicast_group_entries` and
`clone_session_entries` become requests, members and groups first; what the file says of a switch
and its build (`target`, `p4info`, `bmv2_json`) is left out. Priorities are those of P4Runtime: the
greatest wins. Every wrong entry is reported (`entries-syntax`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from p4xdp.diagnostics import CompileError, Diagnostics, Span, fail
from p4xdp.runtime.requests import (
    ActionCall,
    ActionSet,
    AddEntry,
    AddSession,
    Argument,
    CreateMember,
    Indirect,
    KeyMatch,
    Name,
    Number,
    Request,
    SetDefault,
    SetGroup,
    SetMemberGroup,
)
from p4xdp.stf.json_places import Array, Object, Value, parse_json
from p4xdp.stf.numbers import number_of

IGNORED = ("target", "p4info", "bmv2_json", "context_json", "type")


def parse_runtime_json(text: str, file: str) -> tuple[Request, ...]:
    """Return the requests of a file; raises CompileError."""
    diagnostics = Diagnostics()
    requests: list[Request] = []
    for kind, entry in _entries(parse_json(text, file)):
        try:
            requests.append(kind(entry))
        except CompileError as error:
            for diagnostic in error.diagnostics:
                diagnostics.add(diagnostic)
    diagnostics.stop_on_error()
    return tuple(requests)


def _entries(whole: Value) -> Iterator[tuple[Callable[[Value], Request], Value]]:
    found = _members(whole, (*_KINDS, *IGNORED), "the file")
    for name, kind in _KINDS.items():
        if name in found:
            for entry in _array(found[name], f"`{name}`"):
                yield kind, entry


# Tables


TARGETS = ("action_profile_member_id", "action_profile_group_id", "action_profile_action_set")
"""What a table entry may have in place of an action."""


def _table_entry(entry: Value) -> Request:
    known = ("table", "match", "action_name", "action_params", "default_action", "priority")
    found = _members(entry, (*known, *TARGETS), "a table entry")
    table, action = _name(entry, found, "table"), _target(entry, found)
    if "default_action" in found and _boolean(found["default_action"]):
        if isinstance(action, ActionSet):
            raise _wrong(action.span, "a default action is one action, member or group")
        if keys := _keys(found):
            raise _wrong(keys[0].name.span, "a default action matches nothing: it has no `match`")
        return SetDefault(table, action, entry.span)
    priority = _number(found["priority"], "a priority") if "priority" in found else None
    return AddEntry(table, priority, _keys(found), action, order="greatest", span=entry.span)


def _target(entry: Value, found: Mapping[str, Value]) -> ActionCall | Indirect | ActionSet:
    given = [name for name in ("action_name", *TARGETS) if name in found]
    if len(given) > 1:
        raise _wrong(found[given[1]].span, f"there is `{given[0]}` already")
    match given:
        case ["action_profile_member_id"]:
            return Indirect(_number(found[given[0]], "a member"))
        case ["action_profile_group_id"]:
            return Indirect(_number(found[given[0]], "a group"), is_group=True)
        case ["action_profile_action_set"]:
            whole = found[given[0]]
            choices = [_weighted_action(one) for one in _array(whole, f"`{given[0]}`")]
            return ActionSet(tuple(choices), whole.span)
        case _:
            return _action(entry, found)


def _weighted_action(value: Value) -> tuple[ActionCall, int]:
    found = _members(value, ("action_name", "action_params", "weight"), "an action of a set")
    return _action(value, found), _weight(found)


def _weight(found: Mapping[str, Value]) -> int:
    if "weight" not in found:
        return 1
    weight = _number(found["weight"], "a weight")
    if not weight.value:
        raise _wrong(weight.span, "a weight is 1 at least")
    return weight.value


# Action profiles


def _member_entry(entry: Value) -> Request:
    known = ("action_profile", "member_id", "action_name", "action_params")
    found = _members(entry, known, "a member of an action profile")
    member = _number(_needed(entry, found, "member_id"), "a member")
    profile = _name(entry, found, "action_profile")
    return CreateMember(profile, _action(entry, found), member, span=entry.span)


def _member_group_entry(entry: Value) -> Request:
    known = ("action_profile", "group_id", "max_size", "members")
    found = _members(entry, known, "a group of an action profile")
    group = _number(_needed(entry, found, "group_id"), "a group")
    members = [_weighted_member(m) for m in _array(_needed(entry, found, "members"), "`members`")]
    profile = _name(entry, found, "action_profile")
    return SetMemberGroup(profile, group, tuple(members), span=entry.span)


def _weighted_member(value: Value) -> tuple[Number, int]:
    found = _members(value, ("member_id", "weight"), "a member of a group")
    return _number(_needed(value, found, "member_id"), "a member"), _weight(found)


def _action(entry: Value, found: Mapping[str, Value]) -> ActionCall:
    arguments: tuple[Argument, ...] = ()
    if "action_params" in found:
        content = found["action_params"].content
        if not isinstance(content, Object):
            raise _wrong(found["action_params"].span, "`action_params` is an object")
        arguments = tuple(
            [
                Argument(Name(m.name, m.span), _number(m.value, f"a value for `{m.name}`"))
                for m in content.members
            ]
        )
    return ActionCall(_name(entry, found, "action_name"), arguments)


def _keys(found: Mapping[str, Value]) -> tuple[KeyMatch, ...]:
    if "match" not in found:
        return ()
    content = found["match"].content
    if not isinstance(content, Object):
        raise _wrong(found["match"].span, "`match` is an object")
    return tuple([_key(Name(m.name, m.span), m.value) for m in content.members])


def _key(name: Name, value: Value) -> KeyMatch:
    """Return a match: one number, or two, of which the second is a prefix length, a mask or the
    end of a range."""
    what = f"a value for `{name.text}`"
    match value.content:
        case Array(values=(one,)):
            return KeyMatch(name, _number(one, what))
        case Array(values=(one, other)):
            return KeyMatch(name, _number(one, what), pair=_number(other, what))
        case Array():
            raise _wrong(value.span, f"{what} is one number or two")
        case _:
            return KeyMatch(name, _number(value, what))


# Replication


def _group_entry(entry: Value) -> Request:
    found = _members(entry, ("multicast_group_id", "replicas"), "a multicast group")
    group = _number(_needed(entry, found, "multicast_group_id"), "a group")
    return SetGroup(group, _replicas(entry, found), entry.span)


def _session_entry(entry: Value) -> Request:
    known = ("clone_session_id", "replicas", "packet_length_bytes", "class_of_service")
    found = _members(entry, known, "a clone session")
    session = _number(_needed(entry, found, "clone_session_id"), "a session")
    if "packet_length_bytes" in found:
        length = _number(found["packet_length_bytes"], "a number of bytes")
        if length.value:
            raise fail("entry-unsupported", length.span, "clones are whole: they are not cut")
    return AddSession(session, copies=_replicas(entry, found), span=entry.span)


def _replicas(entry: Value, found: Mapping[str, Value]) -> tuple[tuple[Number, Number], ...]:
    copies = []
    for replica in _array(_needed(entry, found, "replicas"), "`replicas`"):
        parts = _members(replica, ("egress_port", "instance"), "a replica")
        port = _number(_needed(replica, parts, "egress_port"), "a port")
        rid = Number(0, text="0", span=replica.span)
        if "instance" in parts:
            rid = _number(parts["instance"], "a replication id")
        copies.append((port, rid))
    return tuple(copies)


_KINDS: dict[str, Callable[[Value], Request]] = {
    "action_profile_members": _member_entry,
    "action_profile_groups": _member_group_entry,
    "table_entries": _table_entry,
    "multicast_group_entries": _group_entry,
    "clone_session_entries": _session_entry,
}


# Parts of the file


def _members(value: Value, known: tuple[str, ...], what: str) -> dict[str, Value]:
    """Return the members of an object by name; raises CompileError for one that is not known."""
    if not isinstance(value.content, Object):
        raise _wrong(value.span, f"{what} is an object")
    names = [member.name for member in value.content.members]
    for index, member in enumerate(value.content.members):
        if member.name in names[:index]:
            raise fail("entries-syntax", member.span, f"`{member.name}` is given twice")
        if member.name not in known:
            listed = ", ".join(f"`{name}`" for name in known)
            text = f"{what} has no `{member.name}`"
            raise fail("entries-syntax", member.span, text, help=f"there is {listed}")
    return {member.name: member.value for member in value.content.members}


def _needed(whole: Value, found: Mapping[str, Value], name: str) -> Value:
    if name not in found:
        raise _wrong(whole.span, f"`{name}` is missing here")
    return found[name]


def _name(whole: Value, found: Mapping[str, Value], name: str) -> Name:
    value = _needed(whole, found, name)
    if not isinstance(value.content, str):
        raise _wrong(value.span, f"`{name}` is a string")
    return Name(value.content, value.span)


def _array(value: Value, what: str) -> tuple[Value, ...]:
    if not isinstance(value.content, Array):
        raise _wrong(value.span, f"{what} is an array")
    return value.content.values


def _boolean(value: Value) -> bool:
    if not isinstance(value.content, bool):
        raise _wrong(value.span, "`default_action` is true or false")
    return value.content


def _number(value: Value, what: str) -> Number:
    match value.content:
        case bool(flag):
            return Number(int(flag), text=str(flag).lower(), span=value.span)
        case int(number) if number >= 0:
            return Number(number, text=str(number), span=value.span)
        case str(text) if (found := number_of(text)) is not None:
            return Number(found, text=text, span=value.span)
        case _:
            raise _wrong(value.span, f"this is not {what}: give a number or an address")


def _wrong(span: Span, text: str) -> CompileError:
    return fail("entries-syntax", span, text)
