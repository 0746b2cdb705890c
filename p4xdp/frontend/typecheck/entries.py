"""Table entries: keysets against keys and match kinds, priorities, actions (section 14.2.1.4)."""

from __future__ import annotations

from p4xdp.diagnostics import Note, Span
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.typecheck import folding
from p4xdp.frontend.typecheck.action_calls import Written, bind_data, in_list
from p4xdp.frontend.typecheck.context import Context, Rejected
from p4xdp.frontend.typecheck.conversion import require_known
from p4xdp.frontend.typecheck.expressions import expression
from p4xdp.frontend.typecheck.keysets import Key, keysets
from p4xdp.frontend.typecheck.traits import strip
from p4xdp.frontend.types import Bit, Int


def entries(
    cx: Context,
    property: syntax.EntriesProperty,
    table: str,
    keys: tuple[typed.TableKey, ...],
    actions: tuple[typed.TableAction, ...],
    written: Written,
) -> tuple[typed.TableEntry, ...]:
    """Check the entries of a table; they come out in the order in which they are tried."""
    if not keys and property.entries:
        raise cx.reject(
            "bad-entry", property.span, f"table `{table}` has no key, so it can have no entries"
        )
    _check_priorities(cx, property, keys)
    made: list[tuple[int, typed.TableEntry]] = []
    seen: dict[tuple[int | str, ...], Span] = {}
    all_exact = all(key.match_kind == "exact" for key in keys)
    for position, entry in enumerate(property.entries, 1):
        try:
            checked = _entry(cx, entry, property.const, table, keys, actions, written)
            made.append((_rank(cx, entry, position), checked))
        except Rejected:
            continue
        if all_exact:
            _check_duplicate(cx, checked, seen)
    return tuple([checked for _, checked in sorted(made, key=lambda ranked: ranked[0])])


def _rank(cx: Context, entry: syntax.Entry, position: int) -> int:
    """Return the number of `@priority(n)`, which programs for bmv2 use: the smallest wins.

    An entry without the annotation has its position, counted from 1.
    """
    for annotation in entry.annotations:
        if annotation.name == "priority":
            body = annotation.body or ()
            if len(body) != 1 or not body[0].isdecimal():
                raise cx.reject("bad-annotation", annotation.span, "`@priority` takes one number")
            return int(body[0])
    return position


def _entry(
    cx: Context,
    entry: syntax.Entry,
    const: bool,
    table: str,
    keys: tuple[typed.TableKey, ...],
    actions: tuple[typed.TableAction, ...],
    written: Written,
) -> typed.TableEntry:
    wanted = [Key(f"key `{key.name}`", key.expression.type) for key in keys]
    sets = keysets(cx, entry.keyset, wanted, f"table `{table}`")
    if len(sets) == 1 and isinstance(sets[0], typed.AnyKey):
        sets = sets * len(keys)
    else:
        for key, keyset in zip(keys, sets, strict=True):
            _check_keyset(cx, key, keyset)
    listed = in_list(cx, table, actions, entry.action)
    if listed.default_only:
        raise cx.reject(
            "bad-action",
            entry.action.span,
            f"action `{entry.action.name.text}` is `@defaultonly`, so an entry cannot use it",
            notes=(Note("it is listed here", listed.span),),
        )
    choice = bind_data(cx, listed, written[entry.action.name.text], entry.action)
    priority = _priority(cx, entry)
    return typed.TableEntry(sets, choice, priority, const or entry.const, entry.span)


def _check_keyset(cx: Context, key: typed.TableKey, keyset: typed.Keyset) -> None:
    match keyset:
        case typed.ValueKey(value=value):
            require_known(cx, value, "the key of an entry")
        case typed.MaskKey(value=value, mask=mask):
            require_known(cx, value, "the key of an entry")
            require_known(cx, mask, "the mask of an entry")
            _check_mask(cx, key, mask, keyset.span)
        case typed.RangeKey(low=low, high=high):
            require_known(cx, low, "the key of an entry")
            require_known(cx, high, "the key of an entry")
            if key.match_kind in ("exact", "lpm", "ternary", "optional"):
                raise cx.reject(
                    "bad-entry",
                    keyset.span,
                    f"key `{key.name}` is matched by `{key.match_kind}`, which takes no ranges",
                    notes=(Note("the key is declared here", key.span),),
                )
        case typed.AnyKey():
            if key.match_kind == "exact":
                raise cx.reject(
                    "bad-entry",
                    keyset.span,
                    f"key `{key.name}` is matched by `exact`, which needs a value",
                    notes=(Note("the key is declared here", key.span),),
                )
        case typed.SetKey():
            raise AssertionError("value sets stand in select only")


def _check_mask(cx: Context, key: typed.TableKey, mask: typed.Expression, span: Span) -> None:
    if key.match_kind in ("exact", "optional"):
        raise cx.reject(
            "bad-entry",
            span,
            f"key `{key.name}` is matched by `{key.match_kind}`, which takes no masks",
            notes=(Note("the key is declared here", key.span),),
            help="match the key by `ternary`",
        )
    bits, type = folding.int_value(mask), strip(key.expression.type)
    if key.match_kind != "lpm" or bits is None or not isinstance(type, Bit | Int):
        return
    holes = ~bits & ((1 << type.width) - 1)
    if holes & (holes + 1):
        raise cx.reject(
            "bad-entry",
            span,
            f"the mask of the lpm key `{key.name}` is not a prefix: its ones must come first",
            notes=(Note("the key is declared here", key.span),),
        )


def _priority(cx: Context, entry: syntax.Entry) -> int | None:
    if entry.priority is None:
        return None
    value = folding.int_value(expression(cx, entry.priority))
    if value is None:
        text = "the priority of an entry must be a number known at compile time"
        raise cx.reject("not-constant", entry.priority.span, text)
    if not 0 <= value < 1 << 31:
        text = f"the priority of an entry must be between 0 and {(1 << 31) - 1}, not {value}"
        raise cx.reject("bad-entry", entry.priority.span, text)
    return value


def _check_priorities(
    cx: Context, property: syntax.EntriesProperty, keys: tuple[typed.TableKey, ...]
) -> None:
    given = [entry for entry in property.entries if entry.priority is not None]
    if not given:
        return
    assert given[0].priority is not None
    if all(key.match_kind in ("exact", "lpm") for key in keys):
        cx.diagnostics.error(
            "bad-entry",
            given[0].priority.span,
            "entries of a table with `exact` and `lpm` keys only have no priorities",
            help="leave the priorities out: the longest prefix wins",
        )
    elif property.const:
        cx.diagnostics.error(
            "bad-entry",
            given[0].priority.span,
            "entries of `const entries` have no priorities: the first one that matches wins",
            help="order the entries, or write `entries` and `const` before each entry",
        )
    elif property.entries[0].priority is None:
        cx.diagnostics.error(
            "bad-entry",
            property.entries[0].span,
            "the first entry needs a priority, since another entry has one",
            notes=(Note("a priority stands here", given[0].span),),
        )


def _check_duplicate(
    cx: Context, entry: typed.TableEntry, seen: dict[tuple[int | str, ...], Span]
) -> None:
    """In a table of exact keys, two entries for one key contradict each other."""
    values = _values(entry)
    if values is None:
        return
    if values in seen:
        cx.diagnostics.error(
            "duplicate",
            entry.span,
            "two entries have the same key",
            notes=(Note("the first one is here", seen[values]),),
        )
    seen.setdefault(values, entry.span)


def _values(entry: typed.TableEntry) -> tuple[int | str, ...] | None:
    values: list[int | str] = []
    for keyset in entry.keysets:
        match keyset:
            case typed.ValueKey(value=typed.Literal(value=value)):
                values.append(value)
            case typed.ValueKey(value=typed.EnumMember(name=name)):
                values.append(name)
            case _:
                return None
    return tuple(values)
