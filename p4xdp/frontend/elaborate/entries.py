"""The entries in a program: their tests, their actions, and the order in which they win."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from p4xdp.diagnostics import InternalError, Note, Span, fail
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import fold, keysets, tables
from p4xdp.frontend.elaborate.action_profiles import SELECTOR
from p4xdp.frontend.elaborate.hidden import Earlier
from p4xdp.frontend.elaborate.properties import Order
from p4xdp.frontend.elaborate.walk import Env, Walk
from p4xdp.midend import ir
from p4xdp.records import replace

PREFIXES = ("exact", "lpm")
"""The match kinds that need no priorities: of the entries that match, the longest prefix wins."""

MOST_PRIORITY = (1 << 32) - 1


def entries(
    walk: Walk, control: Env, table: typed.Table, keys: Sequence[ir.Key], order: Order
) -> tuple[tuple[ir.Key, ...], tuple[ir.Entry, ...]]:
    """Return the keys of a table and its entries, in the order in which they are tried.

    An exact key for which some entry has `_` becomes ternary.
    """
    made = [
        one
        for entry, priority in zip(table.entries, _priorities(table, order), strict=True)
        for one in _entries(walk, control, table, entry, keys, priority)
    ]
    keys = tuple(_widened(key, [entry.tests[i] for entry in made]) for i, key in enumerate(keys))
    return keys, _reachable(walk, table, keys, _ranked(made, keys, order))


def _priorities(table: typed.Table, order: Order) -> list[int]:
    """Return the priority of each entry, given or counted (section 14.2.1.4)."""
    if not any(entry.priority is not None for entry in table.entries):
        rising = [1 + i * order.delta for i in range(len(table.entries))]
        return rising if order.smallest_first else rising[::-1]
    step = order.delta if order.smallest_first else -order.delta
    priorities: list[int] = []
    for entry in table.entries:
        if entry.priority is not None:
            priorities.append(entry.priority)
        else:
            priorities.append(_in_range(priorities[-1] + step, entry.span))
    return priorities


def _in_range(priority: int, span: Span) -> int:
    if not 0 <= priority <= MOST_PRIORITY:
        raise fail(
            "bad-entry",
            span,
            f"the priority of this entry comes out as {priority}",
            help="give it a priority, or the first entry another one",
        )
    return priority


def _ranked(made: Sequence[ir.Entry], keys: Sequence[ir.Key], order: Order) -> list[ir.Entry]:
    """Put the winning entries first: the longest prefix where no key needs priorities, else by
    priority, and the first in the program among equals."""
    kinds = [key.kind for key in keys]
    if "lpm" in kinds and all(kind in PREFIXES for kind in kinds):
        made = [replace(entry, priority=_prefix_length(entry, keys)) for entry in made]
        return sorted(made, key=lambda entry: -entry.priority)
    sign = 1 if order.smallest_first else -1
    return sorted(made, key=lambda entry: sign * entry.priority)


def _widened(key: ir.Key, tests: Sequence[ir.Test]) -> ir.Key:
    if key.kind == "exact" and ir.AnyTest() in tests:
        return replace(key, kind="ternary")
    return key


def _entries(
    walk: Walk,
    control: Env,
    table: typed.Table,
    entry: typed.TableEntry,
    keys: Sequence[ir.Key],
    priority: int,
) -> Iterator[ir.Entry]:
    """Yield what an entry comes to: nothing for an empty range, two for a range of signed
    numbers around 0."""
    keysets_ = _for_each_key(entry.keysets, len(table.keys))
    written = [
        (keyset, source)
        for keyset, source in zip(keysets_, table.keys, strict=True)
        if source.match_kind != SELECTOR
    ]
    alternatives = [
        _tests(walk, control, keyset, source, key)
        for (keyset, source), key in zip(written, keys, strict=True)
    ]
    chosen = tables.choice(walk, control, table, entry.choice)
    for tests in product(*alternatives):
        yield ir.Entry(tests, chosen, priority, entry.const, entry.span)


def _for_each_key(keysets_: Sequence[typed.Keyset], count: int) -> Sequence[typed.Keyset]:
    """One `_` may stand for all keys."""
    if len(keysets_) == 1 and isinstance(keysets_[0], typed.AnyKey):
        return list(keysets_) * count
    return keysets_


def _tests(
    walk: Walk, control: Env, keyset: typed.Keyset, source: typed.TableKey, key: ir.Key
) -> list[ir.Test]:
    alternatives = keysets.alternatives(
        walk, control, keyset, ir.Const(0, key.width), source.expression.type
    )
    return [_fitting(test, key, keyset.span) for test in alternatives]


def _fitting(test: ir.Test | ir.Expr, key: ir.Key, span: Span) -> ir.Test:
    """Return a test as the match kind of its key has it."""
    full = fold.ones(key.width)
    match key.kind, test:
        case "exact" | "optional", ir.MaskTest(mask=mask) if mask == full:
            return test
        case "exact" | "optional" | "ternary" | "range", ir.AnyTest():
            return test
        case "ternary", ir.MaskTest():
            return test
        case "range", ir.RangeTest():
            return test
        case "range", ir.MaskTest(value=value, mask=mask) if mask == full:
            return ir.RangeTest(value, value)
        case "lpm", ir.AnyTest():
            return ir.MaskTest(0, 0)
        case "lpm", ir.MaskTest(mask=mask) if _is_prefix(mask, key.width):
            return test
        case _:
            raise InternalError("elaborate", f"{test} for a key matched by {key.kind}", span)


def _is_prefix(mask: int, width: int) -> bool:
    low_zeros = fold.ones(width) ^ mask
    return low_zeros & (low_zeros + 1) == 0


def _prefix_length(entry: ir.Entry, keys: Sequence[ir.Key]) -> int:
    for key, test in zip(keys, entry.tests, strict=True):
        if key.kind == "lpm" and isinstance(test, ir.MaskTest):
            return test.mask.bit_count()
    return 0


def _reachable(
    walk: Walk, table: typed.Table, keys: Sequence[ir.Key], ranked: Sequence[ir.Entry]
) -> tuple[ir.Entry, ...]:
    """Warn of the entries that never win, and drop them: those with the tests of an earlier one,
    and where no control plane can take the earlier one away, all."""
    earlier = Earlier(keys)
    kept = []
    for entry in ranked:
        other = earlier.hiding(entry)
        if other is not None:
            _warn_hidden(walk, entry, other)
        if other is None or not (table.entries_const or other.tests == entry.tests):
            earlier.add(entry)
            kept.append(entry)
    return tuple(kept)


def _warn_hidden(walk: Walk, entry: ir.Entry, other: ir.Entry) -> None:
    what = "has the same keys" if entry.tests == other.tests else "matches all that it does"
    walk.diagnostics.warning(
        "unreachable-entry",
        entry.span,
        f"this entry never matches, as an entry before it {what}",
        notes=(Note("the other one is here", other.span),),
    )
