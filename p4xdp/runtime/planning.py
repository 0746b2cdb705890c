"""From what a control plane asks for to operations on maps: all that can be wrong with a request in
itself is found here; nothing is read or written.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from p4xdp.description import (
    Description,
    Table,
)
from p4xdp.diagnostics import CompileError, Diagnostics, Span, fail
from p4xdp.records import replace
from p4xdp.runtime import cells, profiles
from p4xdp.runtime.encode import (
    Rule,
    array_index,
    called,
    completed,
    initial_rule,
    map_key,
    rule_of,
    ternary_entry,
    value_of,
)
from p4xdp.runtime.groups import Groups
from p4xdp.runtime.names import resolve
from p4xdp.runtime.operations import (
    ClearAll,
    Operation,
    Put,
    PutBack,
    PutCell,
    PutDefault,
    PutEntry,
    PutIndirect,
    PutTernary,
    PutTimeout,
    Remove,
)
from p4xdp.runtime.requests import (
    ActionCall,
    AddEntry,
    CreateMember,
    CreateMemberGroup,
    DeleteMember,
    DeleteMemberGroup,
    Indirect,
    Inspect,
    JoinGroup,
    ModifyMember,
    Name,
    RemoveAll,
    RemoveEntry,
    ReplicationRequest,
    Request,
    ResetDefault,
    SetCrc,
    SetDefault,
    SetMemberGroup,
    SetRates,
    SetTimeout,
    WriteCounter,
    WriteRegister,
)


def find_table(description: Description, name: Name) -> Table:
    """Return the table that a name means; raises CompileError."""
    named = [t for t in description.all_tables if not profiles.is_of_members(description, t)]
    return resolve(name, named, lambda table: table.name, "entry-table", "table")


def plan(
    description: Description, requests: Sequence[Request], groups: Groups | None = None
) -> list[Operation]:
    """Return what requests come to; those about copies change `groups`.

    Raises CompileError with everything that is wrong with them, and nothing is changed then.
    """
    diagnostics = Diagnostics()
    operations: list[Operation] = []
    state = groups.state.copy() if groups and description.host_port is not None else None
    for request in requests:
        try:
            if state is not None and isinstance(request, ReplicationRequest):
                state.carry_out(request)
                continue
            operation = _planned(description, request)
            if operation is not None and not _is_idle(description, operation):
                operations.append(operation)
        except CompileError as error:
            for diagnostic in error.diagnostics:
                diagnostics.add(diagnostic)
    diagnostics.stop_on_error()
    if groups and state:
        groups.state = state
    return operations


def _is_idle(description: Description, operation: Operation) -> bool:
    """Tell whether an operation is for a table or a profile that no packet reaches."""
    match operation:
        case Remove(rule=rule) | PutTimeout(rule=rule):
            return rule.table in description.absent.tables
        case profiles.ProfileChange(profile=profile):
            return profile in description.absent.profiles
        case cells.PutCells() | cells.PutCrc():
            return False
        case _:
            return operation.table in description.absent.tables


def _planned(description: Description, request: Request) -> Operation | None:
    """Return what a request comes to, None for nothing; raises CompileError."""
    match request:
        case AddEntry():
            return _planned_entry(description, request)
        case SetDefault():
            return _planned_default(description, request)
        case RemoveEntry():
            return _planned_removal(description, request)
        case SetTimeout():
            return _planned_timeout(description, request)
        case ResetDefault():
            return PutBack(find_table(description, request.table), request.span)
        case RemoveAll():
            name = request.table
            return ClearAll(request.span, find_table(description, name) if name else None)
        case WriteCounter() | WriteRegister() | SetRates() | Inspect():
            return cells.planned(description, request)
        case SetCrc():
            return cells.planned_crc(description, request)
        case (
            CreateMember()
            | ModifyMember()
            | DeleteMember()
            | CreateMemberGroup()
            | DeleteMemberGroup()
            | JoinGroup()
            | SetMemberGroup()
        ):
            return profiles.planned(description, request)
        case _:
            text = f"`{description.program}` replicates no packets"
            help = "load the program anew to change groups and sessions"
            if description.host_port is None:
                raise fail("entry-unsupported", request.span, text)
            text = "groups and sessions are said when the program is loaded"
            raise fail("entry-unsupported", request.span, text, help=help)


def _planned_entry(description: Description, written: AddEntry) -> Operation:
    table = find_table(description, written.table)
    request = completed(table, written)
    _refuse_constant(table, request.table.span)
    rule = _changeable(description, table, request)
    if profiles.profile_of(description, table) is not None:
        return _planned_indirect(description, table, rule, request)
    value = value_of(table, called(table, request.action), for_default=False)
    return put_of(description, rule, value, request.span)


def _refuse_constant(table: Table, span: Span) -> None:
    if table.map is None:
        raise fail("entry-constant", span, f"the entries of table `{table.name}` are constant")


def _changeable(description: Description, table: Table, request: AddEntry) -> Rule:
    """Return what an entry matches; raises CompileError for one that is the program's own."""
    rule = rule_of_entry(description, table, request)
    if rule in [initial_rule(table, entry) for entry in table.initial if entry.const]:
        text = f"table `{table.name}` has a const entry with this key, which cannot change"
        raise fail("entry-constant", request.span, text)
    return rule


def rule_of_entry(description: Description, table: Table, request: AddEntry) -> Rule:
    rule = rule_of(table, request)
    if table.kind == "array":
        array_index(rule, request.keys[0].value.span)
    return rule


def members_of(description: Description, table: Table) -> Table | None:
    """Return the table that holds the members which the entries of a table lead to."""
    if profiles.profile_of(description, table) is None:
        return None
    return profiles.members_table(description, table)


def _planned_indirect(
    description: Description, table: Table, rule: Rule | None, request: AddEntry | SetDefault
) -> PutIndirect:
    members = replace(profiles.members_table(description, table), name=table.name)
    profile = profiles.profile_of(description, table)
    assert profile is not None
    names = [action.name for action in members.actions]
    action = profiles.indirect(request.action, names)
    if isinstance(action, Indirect):
        profiles.numbered(table, action, for_default=rule is None)
        return PutIndirect(table, rule, action, (), request.span)
    if isinstance(action, ActionCall):
        own = value_of(members, action, for_default=rule is None)
        return PutIndirect(table, rule, None, ((own, 1),), request.span)
    if profile.groups is None:
        raise profiles.no_groups(profile.name, action.span)
    profiles.check_room(sum(w for _, w in action.choices), profile.group_size, action.span)
    values = tuple((value_of(members, c, for_default=False), w) for c, w in action.choices)
    return PutIndirect(table, rule, None, values, request.span, is_set=True)


def _planned_timeout(description: Description, request: SetTimeout) -> Operation:
    table = find_table(description, request.entry.table)
    check_timed(table.name, table.last_hit is not None, request.span)
    rule = rule_of_entry(description, table, completed(table, request.entry))
    return PutTimeout(rule, cells.nanoseconds(request.milliseconds), request.span)


def check_timed(table: str, has_timeouts: bool, span: Span) -> None:
    """Raise CompileError for a table whose entries have no timeouts."""
    if not has_timeouts:
        text = f"the entries of table `{table}` have no timeouts"
        help = "give it the property `support_timeout = true` or `psa_idle_timeout`"
        raise fail("entry-unsupported", span, text, help=help)


def _planned_removal(description: Description, request: RemoveEntry) -> Operation:
    table = find_table(description, request.entry.table)
    _refuse_constant(table, request.span)
    rule = _changeable(description, table, completed(table, request.entry))
    return Remove(rule, request.span)


def put_of(description: Description, rule: Rule, value: bytes, span: Span) -> PutEntry:
    table = rule.table
    assert table.map is not None
    if table.kind == "ternary":
        return PutTernary(ternary_entry(rule, value), table, span)
    if table.kind == "array":
        cell = bytearray(value.ljust(cell_size(description, table), b"\0"))
        struct.pack_into("=I", cell, table.in_use_offset, 1)
        key = struct.pack("=I", array_index(rule, span))
        return PutCell(key, bytes(cell), table, span)
    return Put(table.map, map_key(rule), value, table, span)


def _planned_default(description: Description, request: SetDefault) -> Operation:
    table = find_table(description, request.table)
    made: PutIndirect | PutDefault
    if profiles.profile_of(description, table) is not None:
        made = _planned_indirect(description, table, None, request)
    else:
        value = value_of(table, called(table, request.action), for_default=True)
        made = PutDefault(value, table, request.span)
    if table.default_map is None:
        text = f"the default action of table `{table.name}` is constant"
        raise fail("entry-constant", request.table.span, text)
    return made


def cell_size(description: Description, table: Table) -> int:
    """Return the size of an array table's value with its `in_use` member."""
    return next(m.value_size for m in description.maps if m.name == table.map)
