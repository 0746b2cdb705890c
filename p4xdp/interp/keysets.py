"""Keysets: what labels of `select` and entries of tables ask of a key (section 8.16)."""

from __future__ import annotations

from typing import assert_never

from p4xdp.diagnostics import InternalError
from p4xdp.frontend import types as t
from p4xdp.interp import operators
from p4xdp.interp.values import Scalar, plain
from p4xdp.records import dataclass


@dataclass(frozen=True, slots=True)
class Any:
    """Every value (section 8.16.2)."""


@dataclass(frozen=True, slots=True)
class Masked:
    """The patterns that have the bits of `value` where `mask` has ones (section 8.16.3)."""

    value: int
    mask: int


@dataclass(frozen=True, slots=True)
class Between:
    """The numbers from `low` to `high`, none when `low` is greater (section 8.16.4)."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Key:
    """A key to be matched: its number as P4 sees it, and its bit pattern in `width` bits."""

    number: int
    width: int
    undefined: bool = False

    @property
    def pattern(self) -> int:
        return operators.pattern(self.number, self.width)


Match = Any | Masked | Between

NAME_WIDTH = 32
"""The bits of a key that is an error or an enum member: its position in the declaration."""


def key_of(value: Scalar, kind: t.Type, errors: tuple[str, ...]) -> Key:
    """Return a value as a key; names count as their positions."""
    found = value.value
    match plain(kind):
        case t.Basic.BOOL:
            return Key(int(bool(found)), 1, value.undefined)
        case t.EnumType(members=members):
            return Key(members.index(str(found)), NAME_WIDTH, value.undefined)
        case t.Basic.ERROR:
            return Key(errors.index(str(found)), NAME_WIDTH, value.undefined)
        case _ if isinstance(found, int):
            return Key(found, operators.width_of(kind), value.undefined)
        case _:
            raise InternalError("interp", f"{value} of type {kind} as a key")


def key_width(kind: t.Type) -> int:
    """Return the bits of a key of a type."""
    if isinstance(plain(kind), t.EnumType) or plain(kind) is t.Basic.ERROR:
        return NAME_WIDTH
    return operators.width_of(kind)


def exactly(key: Key) -> Masked:
    return Masked(key.pattern, (1 << key.width) - 1)


def contains(match_: Match, key: Key) -> bool:
    """Whether a key is in the set."""
    match match_:
        case Any():
            return True
        case Masked(value=value, mask=mask):
            return key.pattern & mask == value & mask
        case Between(low=low, high=high):
            return low <= key.number <= high
        case _:
            assert_never(match_)


def cares(match_: Match) -> bool:
    """Whether the answer depends on the key at all."""
    return not (isinstance(match_, Any) or (isinstance(match_, Masked) and not match_.mask))
