"""Which maps of the program before live on in the one that takes its place.

A map is kept when what it holds means the same to both programs: the same key fields, actions
and sizes for a table, the same size and kind for a counter, a register or a meter. A default action
that was changed at run time is kept as long as the source declares the same one.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from p4xdp.description import Counter, Description, Meter, Register, Table
from p4xdp.records import dataclass, replace

Cells = Counter | Register | Meter


@dataclass(frozen=True, slots=True)
class Lost:
    """A table, counter, register or meter whose contents do not live on; `what` names it for a
    user."""

    what: str
    map: str
    reason: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The names of the maps to reuse, and what is lost."""

    kept: frozenset[str]
    lost: tuple[Lost, ...]


def plan(old: Description, new: Description, anew: Container[str] = ()) -> Plan:
    """Compare two versions of a program; action profiles in `anew` begin without members."""
    kept: set[str] = set()
    lost: list[Lost] = []
    tables = {t.name: t for t in new.tables}
    for table in old.tables:
        _plan_table(table, _called(old, table), tables.get(table.name), kept, lost)
    _plan_profiles(old, new, anew, kept, lost)
    arrays: list[tuple[str, Sequence[Cells], Sequence[Cells]]] = [
        ("counter", old.counters, new.counters),
        ("register", old.registers, new.registers),
        ("meter", old.meters, new.meters),
    ]
    for kind, before, after in arrays:
        now = {one.name: one for one in after}
        for one in before:
            _plan_cells(kind, one, now.get(one.name), kept, lost)
    for name, other in (
        (old.perf_map, new.perf_map),
        (old.crc16, new.crc16),
        (old.crc32, new.crc32),
    ):
        if name and name == other:
            kept.add(name)
    if old.messages and _says_the_same(old, new):
        kept.update((old.messages, f"{old.messages}_lost"))
    return Plan(frozenset(kept), tuple(lost))


def names(description: Description, kept: Container[str]) -> Iterator[str]:
    """Yield the control-plane names of what lives on in some maps."""
    tables = {table.name: table for table in description.tables}
    of_members = {members for one in description.profiles for _, members in one.tables}
    for name, table in tables.items():
        if name not in of_members and (table.map in kept or table.default_map in kept):
            yield name
    for profile in description.profiles:
        if all(tables[members].map in kept for _, members in profile.tables):
            yield profile.name
    arrays: list[Cells] = [*description.counters, *description.registers, *description.meters]
    yield from (one.name for one in arrays if one.map in kept)


def _says_the_same(old: Description, new: Description) -> bool:
    """Say whether who listens to the old program understands the new one."""
    told = (old.messages, old.digests, old.cpu_port, old.controller_headers)
    return told == (new.messages, new.digests, new.cpu_port, new.controller_headers)


def _called(description: Description, table: Table) -> str:
    """Return how a user knows what a table holds."""
    for profile in description.profiles:
        if any(members == table.name for _, members in profile.tables):
            return f"the members of action profile `{profile.name}`"
    return f"the entries of table `{table.name}`"


def _plan_table(
    old: Table, called: str, new: Table | None, kept: set[str], lost: list[Lost]
) -> None:
    reason = "it is gone" if new is None else _table_change(old, new)
    if old.map and reason:
        lost.append(Lost(called, old.map, reason))
    elif old.map:
        kept.update(_entry_maps(old))
    if old.default_map:
        reason = reason or (_default_change(old, new) if new else None)
        if reason:
            what = f"the default action of table `{old.name}`"
            lost.append(Lost(what, old.default_map, reason))
        else:
            kept.add(old.default_map)


def _plan_profiles(
    old: Description, new: Description, anew: Container[str], kept: set[str], lost: list[Lost]
) -> None:
    """Keep members, groups and the entries that lead to them together, or none of these."""
    profiles = {p.name: p for p in new.profiles}
    for profile in old.profiles:
        names = {name for pair in profile.tables for name in pair}
        tables = [table for table in old.tables if table.name in names]
        now = {table.name for table in new.tables if table.name in names}
        same = profiles.get(profile.name) == profile and now == {table.name for table in tables}
        is_anew = profile.name in anew
        if same and not is_anew and all(table.map in kept for table in tables if table.map):
            kept.update((profile.groups,) if profile.groups else ())
            continue
        for table in tables:
            if table.map and table.map in kept:
                what = "is filled anew" if is_anew else "has changed"
                reason = f"action profile `{profile.name}` {what}"
                lost.append(Lost(_called(old, table), table.map, reason))
            kept.difference_update((*_entry_maps(table), table.default_map or ""))


def _default_change(old: Table, new: Table) -> str | None:
    if new.default_map is None:
        return "it is constant now"
    if new.default != old.default:
        return "the source declares another one"
    return None


def _entry_maps(table: Table) -> Iterator[str]:
    if table.map:
        yield table.map
    if table.ternary:
        yield table.ternary.state_map
    if table.last_hit:
        yield table.last_hit


def _table_change(old: Table, new: Table) -> str | None:
    if old.keys != new.keys:
        return "its key has changed"
    if old.actions != new.actions:
        return "its actions have changed"
    if old.size != new.size:
        return f"its size has changed from {old.size} to {new.size}"
    if old.initial != new.initial:
        return "the entries in its source have changed"
    same = replace(new, const_entries=0, default=old.default, default_map=old.default_map)
    if replace(old, const_entries=0) != same:
        return "its layout has changed"
    return None


def _plan_cells(kind: str, old: Cells, new: Cells | None, kept: set[str], lost: list[Lost]) -> None:
    if new == old:
        kept.add(old.map)
    else:
        reason = "it is gone" if new is None else "its size or kind has changed"
        lost.append(Lost(f"{kind} `{old.name}`", old.map, reason))
