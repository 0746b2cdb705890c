"""The types of one table, the same in out.c and out.h: lines of finished C."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from p4xdp.backend_c.model import Action, Member, Table, TernaryTable


def types_of(t: Table, with_key: bool, bare: Iterable[Action] = ()) -> Iterator[str]:
    """Yield lines, the last of which is empty; `bare` are actions that also go by their name
    alone."""
    yield f"enum {t.c_name}_actions {{"
    yield from (f"\t{action.enumerator} = {action.id}," for action in t.actions)
    yield from (f"\t{action.c_name} = {action.enumerator}," for action in bare)
    yield from ("};", "")
    if with_key:
        yield f"struct {t.c_name}_key {{"
        yield from _declared(t.key.members)
        yield from ("};", "")
    if t.has_map or t.has_default:
        yield from _value(t)
    if t.has_slots:
        yield from _defaults(t)
    if t.ternary:
        yield from _entry(t, t.ternary)
        yield from _half(t, t.ternary)


def _declared(members: Iterable[Member], indent: str = "\t") -> Iterator[str]:
    return (f"{indent}{member.declaration}" for member in members)


def _value(t: Table) -> Iterator[str]:
    yield f"struct {t.c_name}_value {{"
    yield f"\tenum {t.c_name}_actions action;"
    yield from _declared(t.value.head[1:])
    if t.has_data:
        yield "\tunion {"
        for action in t.actions:
            if action.struct:
                yield "\t\tstruct {"
                yield from _declared(action.struct.members, "\t\t\t")
                yield f"\t\t}} {action.c_name};"
        yield "\t} u;"
    yield from _declared(t.value.tail)
    yield from ("};", "")


def _defaults(t: Table) -> Iterator[str]:
    yield (
        "/* `current` is the offset of the one in force; the other one is there to be changed. */"
    )
    yield f"struct {t.c_name}_defaults {{"
    yield "\t__u64 current;"
    yield f"\tstruct {t.c_name}_value slots[2];"
    yield f"\t__u8 room[{t.room}]; /* any offset of {t.offset_bits} bits is inside */"
    yield from ("};", "")


def _entry(t: Table, ternary: TernaryTable) -> Iterator[str]:
    key = f"struct {t.c_name}_key"
    yield (
        "/* Keys are stored masked. The greatest rank wins: of the greatest priority, the first. */"
    )
    if t.ranges:
        names = ", ".join(one.c_name for one in t.ranges)
        yield f"/* {names}: from low to high, with mask 0. */"
    yield f"struct {t.c_name}_entry {{"
    yield from (f"\t{key} key;", f"\t{key} mask;")
    if t.ranges:
        yield from (f"\t{key} low;", f"\t{key} high;")
    yield from ("\t__u32 priority;", "\t__u32 rank;", f"\tstruct {t.c_name}_value value;")
    if ternary.tail:
        yield f"\t__u8 pad0[{ternary.tail}];"
    yield from ("};", "")


def _half(t: Table, ternary: TernaryTable) -> Iterator[str]:
    name = t.c_name
    if ternary.masks:
        yield (
            "/* A mask that entries have, with the greatest rank of these (0: there is no mask),"
            " and slots. */"
        )
        yield f"struct {name}_mask {{"
        yield f"\tstruct {name}_key bits;"
        yield from ("\t__u32 best;", "\t__u32 slots;", "\t__u32 shift;", "\t__u8 pad0[4];")
        yield from ("};", "")
        yield (
            "/* Masks with the best first; for each slot the first of its entries, which go up to"
            " the next's. */"
        )
        yield f"struct {name}_half {{"
        yield f"\tstruct {name}_mask masks[{ternary.masks}];"
        yield f"\t__u32 slots[{ternary.slots + 2}];"
    else:
        yield "/* The greatest rank first. */"
        yield f"struct {name}_half {{"
    yield f"\tstruct {name}_entry entries[{ternary.length}];"
    yield from ("};", "")
