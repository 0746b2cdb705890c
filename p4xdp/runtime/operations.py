"""What is to be done to the maps of a program, once requests fit its description."""

from __future__ import annotations

from p4xdp.description import Table
from p4xdp.diagnostics import Span
from p4xdp.records import dataclass
from p4xdp.runtime import cells, profiles
from p4xdp.runtime.encode import Rule
from p4xdp.runtime.requests import Indirect


@dataclass(frozen=True, slots=True)
class Put:
    """Store one value in a map; `table` is whose size it counts against."""

    map: str
    key: bytes
    value: bytes
    table: Table
    span: Span


@dataclass(frozen=True, slots=True)
class PutCell:
    """Fill a cell of an array table; `value` says that it is in use."""

    key: bytes
    value: bytes
    table: Table
    span: Span


@dataclass(frozen=True, slots=True)
class PutTernary:
    entry: bytes
    table: Table
    span: Span


@dataclass(frozen=True, slots=True)
class PutDefault:
    """Change the default action of a table."""

    value: bytes
    table: Table
    span: Span


@dataclass(frozen=True, slots=True)
class PutIndirect:
    """Have an entry (`rule` None: the default action) lead to a member or a group, or, with
    `target` None, to a member of its own, or a group of such ones if it `is_set`: `own` are their
    values and weights."""

    table: Table
    rule: Rule | None
    target: Indirect | None
    own: tuple[tuple[bytes, int], ...]
    span: Span
    is_set: bool = False


@dataclass(frozen=True, slots=True)
class Remove:
    """Take an entry out of its table."""

    rule: Rule
    span: Span


@dataclass(frozen=True, slots=True)
class PutTimeout:
    """Say after how many nanoseconds without a hit an entry is out of date."""

    rule: Rule
    timeout: int
    span: Span


@dataclass(frozen=True, slots=True)
class PutBack:
    """Make the default action that of the program."""

    table: Table
    span: Span


@dataclass(frozen=True, slots=True)
class ClearAll:
    """`table` None is every table."""

    span: Span
    table: Table | None = None


PutEntry = Put | PutCell | PutTernary
Operation = (
    PutEntry
    | PutDefault
    | PutIndirect
    | Remove
    | PutTimeout
    | PutBack
    | ClearAll
    | cells.PutCells
    | cells.PutCrc
    | profiles.ProfileChange
)
