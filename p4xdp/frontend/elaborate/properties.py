"""Table properties: how large a table is, and what map is asked for."""

from __future__ import annotations

from typing import Literal

from p4xdp.diagnostics import InternalError, fail
from p4xdp.frontend import typed, types as t
from p4xdp.frontend.elaborate import calls, expressions
from p4xdp.frontend.elaborate.action_profiles import is_profile
from p4xdp.frontend.elaborate.externs import direct
from p4xdp.frontend.elaborate.instances import join
from p4xdp.frontend.elaborate.walk import Env, ExternObject, Walk
from p4xdp.records import dataclass

DEFAULT_SIZE = 1024
"""The entries of a table whose program does not say."""

_ORDERING = ("largest_priority_wins", "priority_delta")
"""Properties about priorities."""

Implementation = Literal["hash_table", "array_table"]


@dataclass(frozen=True, slots=True)
class Storage:
    size: int
    implementation: Implementation | None


@dataclass(frozen=True, slots=True)
class Order:
    """Which priority wins, and how far apart those are that the program does not give."""

    smallest_first: bool
    delta: int


def order(walk: Walk, control: Env, table: typed.Table) -> Order:
    """Return what the table's properties say about priorities (section 14.2.1.4)."""
    given = {
        prop.name: calls.known_number(expressions.evaluate(walk, control, prop.value))
        for prop in table.properties
        if prop.name in _ORDERING
    }
    delta = given.get("priority_delta")
    return Order(given.get("largest_priority_wins") == 0, 1 if delta is None else delta)


def storage(walk: Walk, control: Env, table: typed.Table, used: int) -> Storage:
    """Return what holds the entries of a table, `used` of them from the start."""
    implementation: Implementation | None = None
    size = None
    for prop in table.properties:
        if is_profile(prop) or prop.name in direct.TIMEOUTS:
            continue
        if prop.name == "implementation":
            implementation, size = _implementation(walk, control, table, prop)
        elif prop.name not in _ORDERING and not direct.is_direct(prop):
            _warn_unknown(walk, prop)
    if table.size is not None:
        size = calls.known_number(expressions.evaluate(walk, control, table.size))
        if size is None:
            raise InternalError("elaborate", "a size that is not known", table.size.span)
    if not size:  # 0 says as little as no size
        size = max(DEFAULT_SIZE, used)
    if used > size:
        text = f"table `{table.name}` has {used} entries but size {size}: it gets room for all"
        walk.diagnostics.warning("table-size", table.span, text)
    return Storage(max(size, used), implementation)


def _implementation(
    walk: Walk, control: Env, table: typed.Table, prop: typed.Property
) -> tuple[Implementation | None, int | None]:
    found = None
    if isinstance(prop.value.type, t.ExternType):
        path = join(table.name, "implementation")
        found = expressions.instance(walk, control, prop.value, path)
    if isinstance(found, ExternObject):
        match found.declaration.name:
            case "hash_table" | "array_table" as name:
                return name, calls.known_number(found.arguments[0])
    raise fail(
        "unsupported",
        prop.span,
        "this implementation is not known to this target",
        help="use hash_table(size), array_table(size), an action profile or an action selector",
    )


def _warn_unknown(walk: Walk, prop: typed.Property) -> None:
    walk.diagnostics.warning(
        "unknown-property", prop.span, f"table property `{prop.name}` has no meaning here"
    )
