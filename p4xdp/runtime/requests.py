"""What a control plane asks of a program's tables and of what stands beside them, as written and
with its places.

The readers of test files, command files and JSON make these; `entries.py` checks them against a
description and carries them out.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from p4xdp.diagnostics import Span, span_field
from p4xdp.records import dataclass


@dataclass(frozen=True, slots=True)
class Name:
    """A name as written: `ingress.t`, `t`, `hd.st[0].f`."""

    text: str
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Number:
    """A number; the bits of `wildcard` do not matter (`0x1*` is value 0x10, wildcard 0x0f)."""

    value: int
    wildcard: int = 0
    text: str = ""
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class KeyMatch:
    """`name:value`; with `prefix_length` in bits `name:value/length`; up to `last`
    `name:value..last`; the ones of `mask` are the bits that matter. `pair` is a second number that
    is one of these three, as the kind of the key has it."""

    name: Name
    value: Number
    prefix_length: Number | None = None
    last: Number | None = None
    mask: Number | None = None
    pair: Number | None = None


@dataclass(frozen=True, slots=True)
class Argument:
    """`name` is None for the next parameter in order."""

    name: Name | None
    value: Number


@dataclass(frozen=True, slots=True)
class ActionCall:
    name: Name
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Indirect:
    """A member of the table's action profile, or a group of members."""

    number: Number
    is_group: bool = False


@dataclass(frozen=True, slots=True)
class ActionSet:
    """Actions from which the selector of the table's action profile chooses, each with the weight
    that it has among them."""

    choices: tuple[tuple[ActionCall, int], ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class AddEntry:
    """`priority` None is the least that there is; `order` says which number comes first: as the
    table says, the least, or the greatest. With `priority_last`, the last argument of the action
    is the priority if the table has any. `label` names the entry for counters. `changed` is the
    entry whose place it takes, and whose priority it has."""

    table: Name
    priority: Number | None
    keys: tuple[KeyMatch, ...]
    action: ActionCall | Indirect | ActionSet
    label: Name | None = None
    order: Literal["table", "least", "greatest"] = "table"
    priority_last: bool = False
    changed: AddEntry | None = None
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class RemoveEntry:
    """The entry that was made with the keys and the priority of `entry`."""

    entry: AddEntry
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class SetDefault:
    table: Name
    action: ActionCall | Indirect
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class ResetDefault:
    """The default action is the program's again."""

    table: Name
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class RemoveAll:
    """Every entry of a table, or of every table; defaults stay."""

    span: Span = span_field()
    table: Name | None = None


@dataclass(frozen=True, slots=True)
class SetTimeout:
    """The entry that was made as `entry` is out of date when no packet found it for so long, 0 for
    never."""

    entry: AddEntry
    milliseconds: Number
    span: Span = span_field()


TableRequest = AddEntry | RemoveEntry | SetDefault | ResetDefault | RemoveAll | SetTimeout


# Replication


@dataclass(frozen=True, slots=True)
class CreateGroup:
    """A multicast group with no copies yet."""

    group: Number
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class DeleteGroup:
    group: Number
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class CreateNode:
    """Copies to some ports with one replication id; nodes are numbered from 0 in order."""

    rid: Number
    ports: tuple[Number, ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class UpdateNode:
    node: Number
    ports: tuple[Number, ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class DeleteNode:
    node: Number
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class AssociateNode:
    """The node's copies belong to the group, or with `leave` no longer."""

    group: Number
    node: Number
    leave: bool = False
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class SetGroup:
    """A multicast group whole, without nodes: (port, replication id) of each copy."""

    group: Number
    copies: tuple[tuple[Number, Number], ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class AddSession:
    """Clones of a session go to a port, to a multicast group, or to some ports."""

    session: Number
    port: Number | None = None
    group: Number | None = None
    copies: tuple[tuple[Number, Number], ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class DeleteSession:
    session: Number
    span: Span = span_field()


ReplicationRequest = (
    CreateGroup
    | DeleteGroup
    | CreateNode
    | UpdateNode
    | DeleteNode
    | AssociateNode
    | SetGroup
    | AddSession
    | DeleteSession
)


# Counters, meters, registers, hashes


@dataclass(frozen=True, slots=True)
class WriteCounter:
    """`index` None is every cell."""

    counter: Name
    index: Number | None
    packets: Number
    bytes: Number
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class WriteRegister:
    """`index` None is every cell."""

    register: Name
    index: Number | None
    value: Number
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class MeterRate:
    """`rate` in packets or bytes for each microsecond, `burst` in packets or bytes."""

    rate: Fraction
    burst: int
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class SetRates:
    """The committed rate, then the peak rate; `index` None is every cell."""

    meter: Name
    index: Number | None
    rates: tuple[MeterRate, ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class SetCrc:
    """The parameters of the custom CRC of `width` bits, 16 or 32."""

    width: int
    polynomial: Number
    initial: Number
    final: Number
    reflect_in: bool
    reflect_out: bool
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Inspect:
    """Ask for a cell and do nothing with it: `kind` is counter, register or meter."""

    kind: Literal["counter", "register", "meter"]
    name: Name
    index: Number | None
    span: Span = span_field()


CellRequest = WriteCounter | WriteRegister | SetRates | SetCrc | Inspect


# Action profiles; with `by_table`, `profile` is the name of a table that has one


@dataclass(frozen=True, slots=True)
class CreateMember:
    """Members are numbered from 0 in order, unless `member` says the number."""

    profile: Name
    action: ActionCall
    member: Number | None = None
    by_table: bool = False
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class ModifyMember:
    profile: Name
    member: Number
    action: ActionCall
    by_table: bool = False
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class DeleteMember:
    profile: Name
    member: Number
    by_table: bool = False
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class CreateMemberGroup:
    """Groups are numbered from 0 in order, unless `group` says the number."""

    profile: Name
    group: Number | None = None
    by_table: bool = False
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class DeleteMemberGroup:
    profile: Name
    group: Number
    by_table: bool = False
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class JoinGroup:
    """The member belongs to the group, or with `leave` no longer."""

    profile: Name
    member: Number
    group: Number
    leave: bool = False
    by_table: bool = False
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class SetMemberGroup:
    """A group whole: its members, each with the weight that it has among them."""

    profile: Name
    group: Number
    members: tuple[tuple[Number, int], ...]
    by_table: bool = False
    span: Span = span_field()


ProfileRequest = (
    CreateMember
    | ModifyMember
    | DeleteMember
    | CreateMemberGroup
    | DeleteMemberGroup
    | JoinGroup
    | SetMemberGroup
)

Request = TableRequest | ReplicationRequest | CellRequest | ProfileRequest
