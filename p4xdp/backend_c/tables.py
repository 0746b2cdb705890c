"""IR tables in, `model.Table` out: which kind of map carries a table, and what its structs hold.

Raises CompileError (through Diagnostics): `table-too-large`.
"""

from __future__ import annotations

from collections.abc import Mapping

from p4xdp.backend_c import access, layout
from p4xdp.backend_c.access.ternary import ROUND, branches
from p4xdp.backend_c.model import Action, Member, Scalar, Struct, Table, TernaryTable, Value
from p4xdp.backend_c.names import Names, identifier, last_part, short_names
from p4xdp.description import SLOT_DEPTH
from p4xdp.diagnostics import Diagnostics
from p4xdp.midend import ir
from p4xdp.midend.rewrite import walk

SUFFIXES = (
    "",
    *"""
    _MAP _SIZE _action _actions _default _defaults _delete _entry _entry_set _find _get_default
    _half _in_ranges _insert _insert_many _key _list _lookup _mask _mask_all _match _miss _open
    _round _set_default _state _ternary _try _value
    """.split(),
)
"""What generated names add to a table's name."""

SCANNED = frozenset(("ternary", "optional", "range"))
"""Match kinds for which the entries are gone through one by one."""

ARRAY_KEY_WIDTH = 32
"""Bits of the widest key that can be an array index."""


def build(
    program: ir.Program, names: Names, lpm: str, diagnostics: Diagnostics
) -> tuple[Table, ...]:
    """Return the tables of the program; `names` is the file scope of the C file, `lpm` an
    `Options.lpm`."""
    short = short_names(table.name for table in program.tables)
    kinds = {table.name: _kind(table, lpm) for table in program.tables}
    scanned = _scanned_size(program, kinds)
    tables = tuple(
        _table(table, kinds[table.name], short[table.name], names, scanned)
        for table in program.tables
    )
    for table in tables:
        _check_limits(table, diagnostics)
    return tables


def absent(tables: tuple[ir.Table, ...], lpm: str) -> tuple[Table, ...]:
    """Return tables for which there is no C."""
    names = Names()
    short = short_names(table.name for table in tables)
    return tuple(_table(t, _kind(t, lpm), short[t.name], names, SCANNED_SIZES[0]) for t in tables)


def _table(table: ir.Table, kind: str, short: str, names: Names, scanned: int) -> Table:
    c_name = names.take(short, SUFFIXES)
    key, keys, prefix_base = _key(table, kind, f"{c_name}_key")
    actions, value = _value(table, kind, c_name, names)
    return Table(
        table=table,
        c_name=c_name,
        kind=kind,
        keys=keys,
        key=key,
        actions=actions,
        value=value,
        has_map=kind != "constant",
        has_default=not table.default_const,
        prefix_base=prefix_base,
        ternary=_ternary(table, key, value, scanned) if kind == "ternary" else None,
    )


def _kind(table: ir.Table, lpm: str) -> str:
    if table.const_entries or not table.keys:
        return "constant"
    kinds = [key.kind for key in table.keys]
    if not SCANNED.isdisjoint(kinds) or kinds.count("lpm") > 1:
        return "ternary"
    if "lpm" in kinds:
        return "lpm" if lpm == "trie" else "ternary"
    return "array" if _is_array(table) else "hash"


def _is_array(table: ir.Table) -> bool:
    """Tell whether a table is an array: values change in place there, so that only those without
    data are seen either before or after a change."""
    index = len(table.keys) == 1 and table.keys[0].width <= ARRAY_KEY_WIDTH
    plain = not any(action.data for action in table.actions)
    return index and plain and table.implementation == "array_table"


# Keys


def _key(table: ir.Table, kind: str, name: str) -> tuple[Struct, tuple[Scalar, ...], int]:
    """Return the key struct, its fields in P4's order, and an LPM key's prefix base in bits."""
    order = sorted(
        range(len(table.keys)), key=lambda i: kind == "lpm" and table.keys[i].kind == "lpm"
    )
    members = [_key_member(table.keys[i], i) for i in order]
    how = access.by_kind(kind)
    if kind == "lpm":
        members.insert(0, layout.number("prefixlen", 4, "in bits"))
    struct = layout.struct(name, members, align=how.key_align if how else 1)
    places = {m.name: m for m in struct.members}
    labels = Names()
    keys = tuple(
        _key_scalar(key, labels.take(key.name), places[f"field{i}"])
        for i, key in enumerate(table.keys)
    )
    return struct, keys, _prefix_base(keys) if kind == "lpm" else 0


def _key_member(key: ir.Key, index: int) -> Member:
    width = key.width or 1
    return layout.scalar(f"field{index}", width, f"{key.name}: bit<{width}>, {key.kind}")


def _key_scalar(key: ir.Key, label: str, member: Member) -> Scalar:
    width = key.width or 1
    return Scalar(key.name, member.name, label, width, member.offset, member.size, key.kind)


def _prefix_base(keys: tuple[Scalar, ...]) -> int:
    """Return the bits between `prefixlen` and the first bit of the lpm field."""
    lpm = next(key for key in keys if key.kind == "lpm")
    return (lpm.offset - 4 + lpm.size) * 8 - lpm.width


# Values


def _value(
    table: ir.Table, kind: str, c_name: str, names: Names
) -> tuple[tuple[Action, ...], Value]:
    align = _union_alignment(table)
    head = [layout.number("action", 4)]
    if kind == "array":
        head.append(layout.number("in_use", 4, "1: there is an entry"))
    has_union = any(action.data for action in table.actions)
    placed = layout.place(head, align=align if has_union else 4)
    offset = layout.end_of(placed)
    members = _action_names(table)
    actions = tuple(
        _action(action, i, members[action.name], c_name, offset, align, names)
        for i, action in enumerate(table.actions)
    )
    size = offset + max([0, *(a.struct.size for a in actions if a.struct)])
    tail = layout.place([], start=size, align=max(4, align))
    return actions, Value(layout.end_of(tail, size), placed, tail, offset)


def _union_alignment(table: ir.Table) -> int:
    data = [layout.scalar("", d.width or 1) for action in table.actions for d in action.data]
    return max([1, *(layout.alignment(member) for member in data)])


def _action_names(table: ir.Table) -> Mapping[str, str]:
    short = short_names(action.name for action in table.actions)
    taken = Names()
    return {name: taken.take(last) for name, last in short.items()}


def _action(
    action: ir.TableAction,
    index: int,
    member: str,
    table_name: str,
    union_offset: int,
    align: int,
    names: Names,
) -> Action:
    taken = Names({"to", "memcpy", "memset"})
    members = [
        layout.scalar(taken.take(d.name), d.width or 1, f"bit<{d.width or 1}>") for d in action.data
    ]
    struct = layout.struct(member, members, align=align) if members else None
    places = {m.name: m for m in struct.members} if struct else {}
    data = tuple(
        Scalar(d.name, m.name, m.name, d.width or 1, union_offset + places[m.name].offset, m.size)
        for d, m in zip(action.data, members, strict=True)
    )
    return Action(
        name=action.name,
        c_name=member,
        enumerator=names.take(f"{table_name}_{identifier(last_part(action.name))}"),
        id=index,
        data=data,
        struct=struct,
        table_only=action.table_only,
        default_only=action.default_only,
    )


VALUE_LIMIT = (1 << 29) - 1
"""Bytes of the largest value of a map in which the verifier follows an index."""

SCANNED_SIZES = (64, 16, 0)
"""Entries of the largest ternary table that is gone through one by one, as branches allow: three
entries take a packet as long as one mask."""

BRANCHES = 6000
"""Branches that all scans of a program may have: the verifier follows 8192 in a row."""


def _scanned_size(program: ir.Program, kinds: Mapping[str, str]) -> int:
    """Return the size of the largest ternary table that is to be scanned."""
    by_name = {table.name: table for table in program.tables}
    applied = [by_name[s.table] for s in walk(program.body) if isinstance(s, ir.Apply)]
    scanned = [(t.size, _count_ranges(t)) for t in applied if kinds[t.name] == "ternary"]
    for most in SCANNED_SIZES:
        if sum(branches(*one) for one in scanned if one[0] <= most) <= BRANCHES:
            return most
    return 0


MOST_MASKS = 1 << 14
MASK_RECORD = 16
"""Bytes of a mask's record behind the mask."""


def _count_ranges(table: ir.Table) -> int:
    return [key.kind for key in table.keys].count("range")


def _ternary(table: ir.Table, key: Struct, value: Value, scanned: int) -> TernaryTable:
    has_range = _count_ranges(table) > 0
    priority_offset = (4 if has_range else 2) * key.size
    value_offset = priority_offset + 8
    end = value_offset + value.size
    size = layout.round_up(end, 8)
    masks = slots = slots_offset = entries_offset = 0
    length = table.size
    if table.size > scanned:
        masks = min(layout.round_up(table.size, ROUND), MOST_MASKS)
        slots = 1 << (6 * table.size - 1).bit_length()
        slots_offset = masks * (key.size + MASK_RECORD)
        entries_offset = slots_offset + 4 * (slots + 2)
        length += SLOT_DEPTH
    return TernaryTable(
        range_offset=2 * key.size if has_range else None,
        priority_offset=priority_offset,
        value_offset=value_offset,
        tail=size - end,
        size=size,
        masks=masks,
        slots=slots,
        slots_offset=slots_offset,
        entries_offset=entries_offset,
        length=length,
        half_size=entries_offset + length * size,
    )


# Limits


def _check_limits(table: Table, diagnostics: Diagnostics) -> None:
    if not table.has_map:
        return
    name, span = table.table.name, table.table.span
    how = access.of(table)
    size, most = table.table.size, how.most_entries
    if size > most:
        diagnostics.error(
            "table-too-large",
            span,
            f"table `{name}` is to hold {size} entries; a {table.kind} table holds at most {most}",
            help=f"write `size = {most};` or less",
        )
    room = max(m.value_size for m in how.maps(table) if m.section is None)
    if room > VALUE_LIMIT:
        diagnostics.error(
            "table-too-large",
            span,
            f"the {size} entries of table `{name}` take {room} bytes in one piece; "
            f"the verifier follows {VALUE_LIMIT}",
            help="write a smaller `size`, or match on fewer or narrower fields",
        )
    limit = how.largest_key
    if table.key.size > limit:
        diagnostics.error(
            "table-too-large",
            span,
            f"the key of table `{name}` takes {table.key.size} bytes; "
            f"a {table.kind} table takes at most {limit}",
            help="match on fewer or narrower fields",
        )
