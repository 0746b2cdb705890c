"""The lowered program in, its description out; see `p4xdp.description` for the contract."""

from __future__ import annotations

from collections.abc import Iterable

from p4xdp import VERSION
from p4xdp.backend_c import tables
from p4xdp.backend_c.model import Action, Counter, Digest, Register, Scalar, Table, Unit
from p4xdp.description import (
    Absent,
    Action as ActionDescription,
    ActionChoice,
    ControllerHeader,
    Counter as CounterDescription,
    Description,
    Digest as DigestDescription,
    Entry,
    Field,
    Map,
    Meter as MeterDescription,
    Profile as ProfileDescription,
    Register as RegisterDescription,
    Table as TableDescription,
    TernaryLayout,
    encode_scalar,
    scalar_size,
)
from p4xdp.midend import ir
from p4xdp.options import Options
from p4xdp.records import replace


def describe(program: ir.Program, unit: Unit, options: Options) -> Description:
    return Description(
        program=program.name,
        source=program.source,
        version=VERSION,
        model=program.model,
        target=options.target,
        function=unit.function,
        section=unit.target.section,
        layout=unit.layout.rung,
        layout_reason=unit.layout.why,
        parts=tuple(part.function for part in unit.parts) if len(unit.parts) > 1 else (),
        stack=unit.layout.stack,
        maps=tuple(
            Map(m.name, m.type, m.key_size, m.value_size, m.max_entries, m.flags, m.section)
            for m in unit.maps
        ),
        tables=tuple(_table(table, unit.counters) for table in unit.tables),
        counters=tuple(_counter(c, c.c_name) for c in unit.counters if c.unit != "last_hit"),
        registers=tuple(_register(one) for one in unit.registers if not one.register.is_per_cpu),
        meters=tuple(_meter(one.meter, one.c_name) for one in unit.meters),
        digests=tuple(_digest(digest) for digest in unit.digests),
        messages=unit.messages,
        profiles=tuple(_profile(one.profile, one.groups) for one in unit.profiles),
        absent=_absent(program.absent, options.lpm),
        headers=tuple((header.name, header.width // 8) for header in program.headers),
        errors=program.errors,
        devmap=unit.ports.devmap,
        interfaces=unit.ports.interfaces,
        groups=unit.ports.groups,
        copies=unit.ports.copies,
        replica=unit.replica,
        looped=unit.looped,
        host_port=unit.ports.host,
        cpu_port=program.ports.cpu if program.ports else None,
        port_width=program.ports.width if program.ports else 32,
        group_width=program.ports.group_width if program.ports else 32,
        controller_headers=tuple(
            ControllerHeader(header.name, header.fields) for header in program.controller_headers
        ),
        perf_map=unit.perf_map,
        crc16=unit.crcs.get("crc16_custom"),
        crc32=unit.crcs.get("crc32_custom"),
    )


def _absent(absent: ir.Absent, lpm: str) -> Absent:
    return Absent(
        tables=tuple(_absent_table(one, absent) for one in tables.absent(absent.tables, lpm)),
        counters=tuple(_counter(c, "") for c in absent.counters if c.unit != "last_hit"),
        registers=tuple(_register(Register(one, "")) for one in absent.registers),
        meters=tuple(_meter(one, "") for one in absent.meters),
        profiles=tuple(_profile(one, "" if one.group_size else None) for one in absent.profiles),
    )


def _absent_table(table: Table, absent: ir.Absent) -> TableDescription:
    timed = any(c.unit == "last_hit" and c.table == table.table.name for c in absent.counters)
    return replace(_table(table, ()), last_hit="" if timed else None)


def _counter(one: Counter | ir.Counter, c_name: str) -> CounterDescription:
    return CounterDescription(one.name, c_name, c_name, one.size, one.sparse, one.unit, one.table)


def _meter(one: ir.Meter, c_name: str) -> MeterDescription:
    return MeterDescription(one.name, c_name, c_name, one.size, one.unit, one.table)


def _profile(one: ir.Profile, groups: str | None) -> ProfileDescription:
    return ProfileDescription(one.name, one.size, groups, one.group_size, one.tables)


def _register(one: Register) -> RegisterDescription:
    fields = tuple(
        Field(f.name, f.name, f.width, f.offset, scalar_size(f.width)) for f in one.register.fields
    )
    register = one.register
    pairs = zip(register.fields, register.initial, strict=False)
    initial = b"".join(encode_scalar(number, field.width) for field, number in pairs)
    return RegisterDescription(
        register.name,
        one.c_name,
        one.c_name,
        register.size,
        fields,
        register.cell_size,
        initial.hex() if any(initial) else "",
    )


def _digest(one: Digest) -> DigestDescription:
    fields = tuple(_field(field) for field in one.fields)
    return DigestDescription(one.digest.name, one.c_name, one.number, fields, one.struct.size)


def _table(table: Table, counters: Iterable[Counter]) -> TableDescription:
    default = table.table.default
    name = table.table.name
    times = (c.c_name for c in counters if c.unit == "last_hit" and c.table == name)
    return TableDescription(
        name=table.table.name,
        c_name=table.c_name,
        kind=table.kind,
        map=table.c_name if table.has_map else None,
        size=table.table.size,
        keys=tuple(_field(key) for key in table.keys),
        key_size=table.key.size,
        value_size=table.value.size,
        actions=tuple(_action(action) for action in table.actions),
        default=_choice(default, table),
        default_map=f"{table.c_name}_default" if table.has_default else None,
        default_slots=2 if table.has_slots else 1,
        prefix_base=table.prefix_base,
        in_use_offset=_in_use_offset(table),
        ternary=_ternary(table),
        const_entries=sum(entry.const for entry in table.table.entries),
        initial=tuple(_entry(e, table) for e in table.table.entries) if table.has_map else (),
        smallest_first=table.table.smallest_first,
        longest_first=table.prefix is not None,
        last_hit=next(times, None),
    )


def _entry(entry: ir.Entry, table: Table) -> Entry:
    keys = tuple(_key(t, k) for t, k in zip(entry.tests, table.keys, strict=True))
    return Entry(keys, _choice(entry.choice, table), entry.priority, entry.const)


def _choice(choice: ir.ActionChoice, table: Table) -> ActionChoice:
    """Return a choice with what the control plane says of it: which cell is an entry's own is not
    its business."""
    names = [datum.name for datum in table.actions[choice.index].data]
    pairs = zip(names, choice.arguments, strict=True)
    return ActionChoice(choice.index, tuple(n for name, n in pairs if name != ir.CELL))


def _key(test: ir.Test, key: Scalar) -> tuple[int, int]:
    """Return value and mask of a test, the ends of a range."""
    match test:
        case ir.AnyTest():
            return 0, (1 << key.width) - 1 if key.kind == "range" else 0
        case ir.MaskTest(value=value, mask=mask):
            return value, mask
        case ir.RangeTest(low=low, high=high):
            return low, high


def _field(scalar: Scalar) -> Field:
    return Field(scalar.name, scalar.c_name, scalar.width, scalar.offset, scalar.size, scalar.kind)


def _action(action: Action) -> ActionDescription:
    return ActionDescription(
        name=action.name,
        c_name=action.c_name,
        id=action.id,
        data=tuple(_field(datum) for datum in action.data if datum.name != ir.CELL),
        cell=next((datum.offset for datum in action.data if datum.name == ir.CELL), None),
        table_only=action.table_only,
        default_only=action.default_only,
    )


def _in_use_offset(table: Table) -> int:
    return next((m.offset for m in table.value.head if m.name == "in_use"), 0)


def _ternary(table: Table) -> TernaryLayout | None:
    half = table.ternary
    if half is None:
        return None
    return TernaryLayout(
        state_map=f"{table.c_name}_state",
        mask_offset=table.key.size,
        priority_offset=half.priority_offset,
        value_offset=half.value_offset,
        entry_size=half.size,
        range_offset=half.range_offset,
        half_size=half.half_size,
        entries_offset=half.entries_offset,
        masks=half.masks,
        slots=half.slots,
        slots_offset=half.slots_offset,
    )
