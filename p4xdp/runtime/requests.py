"""What a control plane asks of a program's tables, as written and with its places.

The STF parser makes these; `entries.py` checks them against a description and carries them out.
"""

from __future__ import annotations

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
    `name:value..last`."""

    name: Name
    value: Number
    prefix_length: Number | None = None
    last: Number | None = None


@dataclass(frozen=True, slots=True)
class Argument:
    name: Name
    value: Number


@dataclass(frozen=True, slots=True)
class ActionCall:
    name: Name
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class AddEntry:
    """`priority` None is the least that there is. `label` names the entry for counters."""

    table: Name
    priority: Number | None
    keys: tuple[KeyMatch, ...]
    action: ActionCall
    label: Name | None = None
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class SetDefault:
    table: Name
    action: ActionCall
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class RemoveAll:
    """Every entry of every table; defaults stay."""

    span: Span = span_field()


Request = AddEntry | SetDefault | RemoveAll
