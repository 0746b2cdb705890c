"""Const entries: their tests, their actions, and the order in which they win."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from p4xdp.diagnostics import InternalError, fail
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import fold, keysets, tables
from p4xdp.frontend.elaborate.walk import Env, Walk
from p4xdp.midend import ir


def entries(
    walk: Walk, control: Env, table: typed.Table, keys: Sequence[ir.Key]
) -> tuple[tuple[ir.Key, ...], tuple[ir.Entry, ...]]:
    """Return the keys of a table and its entries, in the order in which they are tried.

    An exact key for which some entry has `_` becomes ternary.
    """
    if table.entries and not table.entries_const:
        raise fail(
            "unsupported",
            table.entries[0].span,
            "initial entries that the control plane may change are not supported",
            help="write `const entries`, or add the entries at run time",
        )
    made = [_entry(walk, control, table, entry, keys) for entry in table.entries]
    keys = tuple(_widened(key, [entry.tests[i] for entry in made]) for i, key in enumerate(keys))
    return keys, _reachable(walk, _ranked(made, keys))


def _ranked(made: Sequence[ir.Entry], keys: Sequence[ir.Key]) -> list[ir.Entry]:
    """Give each entry its priority: the longest prefix wins, where none is ternary; otherwise
    the first in the program."""
    kinds = [key.kind for key in keys]
    if "lpm" in kinds and "ternary" not in kinds:
        priorities = [_prefix_length(entry, keys) for entry in made]
    else:
        priorities = list(range(len(made), 0, -1))
    ranked = [replace(entry, priority=p) for entry, p in zip(made, priorities, strict=True)]
    return sorted(ranked, key=lambda entry: -entry.priority)


def _widened(key: ir.Key, tests: Sequence[ir.Test]) -> ir.Key:
    if key.kind == "exact" and ir.AnyTest() in tests:
        return replace(key, kind="ternary")
    return key


def _entry(
    walk: Walk,
    control: Env,
    table: typed.Table,
    entry: typed.TableEntry,
    keys: Sequence[ir.Key],
) -> ir.Entry:
    keysets_ = _for_each_key(entry.keysets, len(keys))
    tests = tuple(
        _test(walk, control, keyset, source, key)
        for keyset, source, key in zip(keysets_, table.keys, keys, strict=True)
    )
    chosen = tables.choice(walk, control, table, entry.choice)
    return ir.Entry(tests, chosen, 0, entry.span)


def _for_each_key(keysets_: Sequence[typed.Keyset], count: int) -> Sequence[typed.Keyset]:
    """One `_` may stand for all keys."""
    if len(keysets_) == 1 and isinstance(keysets_[0], typed.AnyKey):
        return list(keysets_) * count
    return keysets_


def _test(
    walk: Walk, control: Env, keyset: typed.Keyset, source: typed.TableKey, key: ir.Key
) -> ir.Test:
    tests = keysets.alternatives(
        walk, control, keyset, ir.Const(0, key.width), source.expression.type
    )
    full = fold.ones(key.width)
    match key.kind, tests:
        case "exact", (ir.MaskTest(mask=mask) as test,) if mask == full:
            return test
        case "exact", (ir.AnyTest() as test,):
            return test
        case "ternary", (ir.MaskTest() | ir.AnyTest() as test,):
            return test
        case "lpm", (ir.AnyTest(),):
            return ir.MaskTest(0, 0)
        case "lpm", (ir.MaskTest(mask=mask) as test,) if _is_prefix(mask, key.width):
            return test
        case _:
            raise InternalError("elaborate", f"{tests} for an {key.kind} key", keyset.span)


def _is_prefix(mask: int, width: int) -> bool:
    low_zeros = fold.ones(width) ^ mask
    return low_zeros & (low_zeros + 1) == 0


def _prefix_length(entry: ir.Entry, keys: Sequence[ir.Key]) -> int:
    for key, test in zip(keys, entry.tests, strict=True):
        if key.kind == "lpm" and isinstance(test, ir.MaskTest):
            return test.mask.bit_count()
    return 0


def _reachable(walk: Walk, ranked: Sequence[ir.Entry]) -> tuple[ir.Entry, ...]:
    """Drop the entries whose tests an earlier one has already."""
    seen: set[tuple[ir.Test, ...]] = set()
    kept = []
    for entry in ranked:
        if entry.tests in seen:
            walk.diagnostics.warning(
                "unreachable-entry", entry.span, "an entry before this one has the same keys"
            )
            continue
        seen.add(entry.tests)
        kept.append(entry)
    return tuple(kept)
