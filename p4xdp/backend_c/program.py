"""A narrow program in, everything that out.c shows out: names, declarations, maps, the body."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from p4xdp.backend_c import access, apply, c_functions, digests, flow, ladder, reloads, scalars
from p4xdp.backend_c.cwriter import CWriter
from p4xdp.backend_c.ladder import STACK, SUBPROGRAMS, TAIL_CALLS
from p4xdp.backend_c.library_names import is_library_name
from p4xdp.backend_c.model import (
    CARRY,
    Action,
    Counter,
    Digest,
    Layout,
    Local,
    Map,
    Meter,
    Part,
    Profile,
    Register,
    Table,
    Unit,
    asks_for_replica,
    data_map,
)
from p4xdp.backend_c.moved import moved_variables
from p4xdp.backend_c.names import Names, identifier, short_names
from p4xdp.backend_c.shown import Shown
from p4xdp.backend_c.statements import Lowering, PacketUse
from p4xdp.backend_c.tables import build
from p4xdp.backend_c.target import TC, XDP, Ports, Target, check_hook
from p4xdp.backend_c.variables import (
    choose_layout,
    collect,
    declarations,
    environment,
    read_in,
    zeroing,
)
from p4xdp.description import OFFSET_OF_SLOTS
from p4xdp.diagnostics import Diagnostics
from p4xdp.midend import ir
from p4xdp.midend.rewrite import expressions, walk, walk_expression
from p4xdp.options import Options
from p4xdp.records import dataclass, replace

NO_VERDICT = ir.Var("", ir.BOOL)


def lower(program: ir.Program, options: Options, diagnostics: Diagnostics) -> Unit:
    """Return the C file's content; raises CompileError for what the target cannot carry."""
    target = TC if options.target == "tc" else XDP
    names = Names(set(c_functions.taken(program)), is_global=True)
    tables = build(program, names, options.lpm, diagnostics)
    counters = _counters(program, names, diagnostics)
    registers = _registers(program, names, diagnostics)
    meters = _meters(program, names)
    sent = digests.build(program, names)
    messages = None
    if sent or _has_effect(program, "packet_message"):
        messages = names.take("messages", ("", "_lost", "_packet"))
    profiles = _profiles(program, names)
    lock = names.take("lock") if _has_effect(program, "lock") else None
    crcs = {name: names.take(name) for name in ir.CUSTOM_CRCS if _computes(program, name)}
    arrays = tuple(names.take(identifier(array.name)) for array in program.arrays)
    perf_map = names.take("packets") if _has_effect(program, "perf_event_output") else None
    function = _function(program.name, names)
    ports = _ports(program, names)
    itself = names.take("itself") if _has_effect(program, "again") else None
    replica = names.take(f"{function}_copies") if program.replication else None
    may_loop = program.replication is not None and program.replication.is_leaving is not None
    looped = names.take(f"{function}_looped") if may_loop else None
    check_hook(program, target, diagnostics)
    diagnostics.stop_on_error()
    shown = Shown(flow.needed_variables(program.body), options.trace)
    by_name = {table.table.name: table for table in tables}
    maps = {table.table.name: len(tuple(table_maps(table))) for table in tables}
    choice = ladder.choose(program, maps, options.layout, options.layout_reason)
    uncut = None
    if choice is not None:
        uncut = program
        program = replace(program, body=tuple(stmt for part in choice.parts for stmt in part))
        shown = replace(shown, needed=flow.needed_variables(program.body))
    locals_ = collect(program, by_name, shown, names, uncut)
    while True:
        instances = _Instances(counters, registers, meters, sent, profiles)
        fixed = _Fixed(
            target,
            names.copy(),
            tables,
            instances,
            ports,
            messages,
            perf_map,
            lock,
            crcs,
            arrays,
            itself,
            replica,
            looped,
            function,
            locals_,
            choice,
        )
        unit, unread = _unit(program, fixed, shown, options, diagnostics)
        if not unread:
            return unit
        shown = replace(shown, unread=shown.unread | unread)


@dataclass(frozen=True, slots=True)
class _Instances:
    """The extern objects, and the digests."""

    counters: tuple[Counter, ...]
    registers: tuple[Register, ...]
    meters: tuple[Meter, ...]
    digests: tuple[Digest, ...]
    profiles: tuple[Profile, ...]


@dataclass(frozen=True, slots=True)
class _Fixed:
    """What stays the same whichever variables are read."""

    target: Target
    names: Names
    tables: tuple[Table, ...]
    instances: _Instances
    ports: Ports
    messages: str | None
    perf_map: str | None
    lock: str | None
    crcs: Mapping[str, str]
    arrays: tuple[str, ...]
    itself: str | None
    replica: str | None
    looped: str | None
    function: str
    locals: tuple[Local, ...]
    choice: ladder.Choice | None


def _unit(
    program: ir.Program, fixed: _Fixed, shown: Shown, options: Options, diagnostics: Diagnostics
) -> tuple[Unit, frozenset[str]]:
    """Return the unit, and the variables that its C, which decides more, never reads."""
    tables, locals_, choice = fixed.tables, fixed.locals, fixed.choice
    layout = _layout(program, fixed, shown, options, diagnostics)
    bodies = choice.parts if choice else (program.body,)
    low = _lowering(program, fixed, shown, options, layout, bodies)
    texts = [_text(program, low, body) for body in bodies]
    first = _first(program, low, zeroing(locals_, layout.rung))
    if layout.rung != SUBPROGRAMS:
        texts[0], first = first + texts[0], ""
    _, unread = read_in(first + "".join(texts), locals_, layout.rung)
    functions = _functions(fixed, layout.rung, texts)
    unit = Unit(
        function=fixed.function,
        source=program.source,
        target=fixed.target,
        tables=tables,
        typed=tuple(t for t in tables if _is_typed(program, t)),
        bare=_bare_names(tables, fixed.names),
        counters=fixed.instances.counters,
        registers=fixed.instances.registers,
        meters=fixed.instances.meters,
        digests=fixed.instances.digests,
        functions=program.functions,
        externs=options.externs,
        messages=fixed.messages,
        profiles=fixed.instances.profiles,
        maps=(
            *_instance_maps(fixed),
            *_message_maps(program, fixed.messages),
            *_port_maps(program, low.ports),
            *_perf_map(fixed.perf_map),
            *((data_map(fixed.lock, "__u64", 8),) if fixed.lock else ()),
            *(data_map(name, "struct p4xdp_crcs", CRCS_SIZE) for name in fixed.crcs.values()),
            *_scratch_map(layout),
            *_parts_map(low.parts_map, len(bodies)),
            *_parts_map(low.copy_parts_map, len(bodies)),
        ),
        initial={
            **{f"{t.c_name}_default": _initial(t) for t in tables if t.has_default},
            **{c_name: f" = P4XDP_{name.upper()}" for name, c_name in fixed.crcs.items()},
        },
        finders=_finders(tables, low),
        first=first,
        parts=tuple(
            _part(program, low, names, body, text, locals_, layout.rung)
            for names, body, text in zip(functions, bodies, texts, strict=True)
        ),
        parts_map=low.parts_map,
        copy_parts_map=low.copy_parts_map,
        sums_payload=_has_effect(program, "payload_sum"),
        pull=_reach(program) if fixed.target.is_tc else 0,
        ports=low.ports,
        itself=fixed.itself,
        replica=fixed.replica,
        looped=fixed.looped,
        perf_map=fixed.perf_map,
        crcs=fixed.crcs,
        arrays=tuple(zip(fixed.arrays, program.arrays, strict=True)),
        layout=layout,
    )
    return unit, unread


def _layout(
    program: ir.Program, fixed: _Fixed, shown: Shown, options: Options, diagnostics: Diagnostics
) -> Layout:
    """Return where the variables are: as chosen already, as asked for, or as they fit."""
    choice = fixed.choice
    asked = choice.rung if choice else options.layout
    layout = choose_layout(program, fixed.locals, fixed.tables, shown.needed, asked, diagnostics)
    diagnostics.stop_on_error()
    if asked:
        layout = replace(layout, why=choice.why if choice else options.layout_reason)
    if layout.members:
        layout = replace(layout, map=fixed.names.take("scratch_map"))
    return layout


def _lowering(
    program: ir.Program,
    fixed: _Fixed,
    shown: Shown,
    options: Options,
    layout: Layout,
    bodies: tuple[ir.Body, ...],
) -> Lowering:
    """Return what the statements of all bodies are written with."""
    by_name = {table.table.name: table for table in fixed.tables}
    instances, labels = fixed.instances, Names()
    env = environment(fixed.locals, layout.rung)
    moved = moved_variables(program, bodies, by_name, env.direct)
    is_cut_twice = fixed.replica is not None and len(bodies) > 1
    has_parts_map = layout.rung == TAIL_CALLS
    return Lowering(
        options=options,
        target=fixed.target,
        verdict=program.verdict if program.model == "xdp" else NO_VERDICT,
        env=replace(env, moved=moved, crcs=fixed.crcs, arrays=fixed.arrays),
        tables=by_name,
        counters={c.name: c.c_name for c in instances.counters},
        units={c.name: "sparse" if c.sparse else c.unit for c in instances.counters},
        registers={r.register.name: r.c_name for r in instances.registers},
        meters={m.meter.name: m.c_name for m in instances.meters},
        digests={d.digest.name: d.c_name for d in instances.digests},
        functions={one.name: one for one in program.functions},
        profiles={p.profile.name: p for p in instances.profiles},
        shown=shown,
        uses=_packet_use(program, fixed.target),
        labels=_labels(program, labels),
        new_labels=labels,
        ports=_asked(program, fixed.ports, shown),
        itself=fixed.itself,
        messages=fixed.messages,
        perf_map=fixed.perf_map,
        lock=fixed.lock,
        parts_map=fixed.names.take("parts") if has_parts_map else None,
        copy_parts_map=fixed.names.take("copy_parts") if has_parts_map and is_cut_twice else None,
        is_cut_twice=is_cut_twice,
        in_scratch=layout.rung != STACK,
    )


def _instance_maps(fixed: _Fixed) -> Iterator[Map]:
    """Yield the maps of tables, counters, registers, meters and groups of members."""
    for table in fixed.tables:
        yield from table_maps(table)
    yield from map(_counter_map, fixed.instances.counters)
    yield from map(_register_map, fixed.instances.registers)
    yield from map(_meter_map, fixed.instances.meters)
    for profile in fixed.instances.profiles:
        yield from _group_maps(profile)


@dataclass(frozen=True, slots=True)
class _PartNames:
    """The names of a part's functions, as in Part."""

    function: str
    carried: str = ""
    copy_function: str = ""


def _functions(fixed: _Fixed, rung: str, texts: list[str]) -> list[_PartNames]:
    """Return the names of the parts; a program that is tail-called starts as its first part."""
    entry, names = fixed.function, fixed.names
    are_programs = rung != SUBPROGRAMS
    found = [_PartNames(entry, CARRY, fixed.replica or "")] if are_programs else []
    for number in range(len(found), len(texts)):
        name = names.take(f"{entry}_part{number}")
        if fixed.replica and (are_programs or asks_for_replica(texts[number])):
            found.append(
                _PartNames(name, names.take(f"{name}_{CARRY}"), names.take(f"{name}_copy"))
            )
        else:
            found.append(_PartNames(name))
    return found


def _part(
    program: ir.Program,
    low: Lowering,
    names: _PartNames,
    body: ir.Body,
    text: str,
    locals_: tuple[Local, ...],
    rung: str,
) -> Part:
    uses = _packet_use(replace(program, body=body), low.target)
    used, _ = read_in(text, locals_, rung)
    context = uses.data or uses.end or _names_context(text)
    return Part(
        function=names.function,
        declarations=declarations(used, rung),
        body=text,
        uses_data=uses.data,
        uses_end=uses.end,
        uses_context=context,
        carried=names.carried,
        copy_function=names.copy_function,
    )


def _function(program: str, names: Names) -> str:
    """Return the entry point's name: the program's, unless a table has it."""
    taken = identifier(program) in names.taken
    return names.take(f"{program}_program" if taken else program)


def _has_effect(program: ir.Program, name: str) -> bool:
    return any(isinstance(s, ir.Effect) and s.name == name for s in walk(program.body))


def _computes(program: ir.Program, function: str) -> bool:
    every = (expr for stmt in walk(program.body) for expr in expressions(stmt))
    parts = (part for expr in every for part in walk_expression(expr))
    return any(isinstance(part, ir.Pure) and part.name == function for part in parts)


# Maps

CRCS_SIZE = 168
"""Bytes of a struct p4xdp_crcs."""

CELLS = 1 << 24
"""Cells of the largest counter; each takes 8 bytes for each CPU."""

REGISTER_BYTES = 1 << 30
"""Bytes of the largest register."""

INTERFACES = 1 << 12
"""Interfaces whose port a program can ask for; the loader makes it as many as there are."""


def _counters(program: ir.Program, names: Names, diagnostics: Diagnostics) -> tuple[Counter, ...]:
    short = short_names(counter.name for counter in program.counters)
    for counter in program.counters:
        if counter.size > CELLS:
            diagnostics.error(
                "counter-too-large",
                counter.span if counter.span.line else None,
                f"counter `{counter.name}` has {counter.size} cells; a counter has at most {CELLS}",
                help="count in fewer cells, or by the entries of a table",
            )
    return tuple(
        Counter(c.name, names.take(short[c.name]), c.size, c.sparse, c.unit, c.table)
        for c in program.counters
    )


def _registers(program: ir.Program, names: Names, diagnostics: Diagnostics) -> tuple[Register, ...]:
    short = short_names(register.name for register in program.registers)
    for register in program.registers:
        if register.size * register.cell_size > REGISTER_BYTES:
            diagnostics.error(
                "unsupported",
                register.span if register.span.line else None,
                f"register `{register.name}` has {register.size} cells of {register.cell_size} "
                f"bytes; a register has at most {REGISTER_BYTES} bytes",
                help="keep fewer cells, or smaller ones",
            )
    return tuple(Register(r, names.take(short[r.name])) for r in program.registers)


def _meters(program: ir.Program, names: Names) -> tuple[Meter, ...]:
    short = short_names(meter.name for meter in program.meters)
    return tuple(Meter(m, names.take(short[m.name])) for m in program.meters)


def _profiles(program: ir.Program, names: Names) -> tuple[Profile, ...]:
    short = short_names(profile.name for profile in program.profiles)
    return tuple(
        Profile(p, names.take(f"{short[p.name]}_groups") if p.group_size else None)
        for p in program.profiles
    )


def _asked(program: ir.Program, ports: Ports, shown: Shown) -> Ports:
    """Leave out what turns interfaces into ports where nobody asks."""
    asks = shown.needs(program.input_port) or program.replication is not None
    return ports if asks else replace(ports, interfaces=None)


def _ports(program: ir.Program, names: Names) -> Ports:
    if program.ports is None:
        return Ports(names.take("tx_ports") if program.devmap_size is not None else None)
    copies = program.replication is not None
    return Ports(
        names.take("ports"),
        names.take("interfaces"),
        names.take("groups") if copies else None,
        names.take("copies") if copies else None,
        names.take("counted") if copies else None,
        program.ports.host,
    )


COUNTER_VALUES = {
    "packets_and_bytes": ("struct p4xdp_counter", 16),
    "last_hit": ("struct p4xdp_last_hit", 16),
}
"""The C type of a counter's cell and its size, where it is more than a number."""


def _counter_map(c: Counter) -> Map:
    kind = "percpu_hash" if c.sparse else "percpu_array"
    value, size = COUNTER_VALUES.get(c.unit, ("__u64", 8))
    return Map(c.c_name, kind, "__u32", value, 4, size, c.size)


def _register_map(one: Register) -> Map:
    size = one.register.cell_size
    value = f"__u{8 * size}" if size in (1, 2, 4, 8) else f"__u8[{size}]"
    kind = "percpu_array" if one.register.is_per_cpu else "array"
    return Map(one.c_name, kind, "__u32", value, 4, size, one.register.size)


COPIES = 1 << 14
"""Copies of all groups and sessions together."""

METER_SIZE = 88
"""Bytes of a struct p4xdp_meter."""


def _meter_map(one: Meter) -> Map:
    size = one.meter.size
    return Map(one.c_name, "array", "__u32", "struct p4xdp_meter", 4, METER_SIZE, size)


BPF_F_NO_PREALLOC = 1


def _group_maps(one: Profile) -> Iterator[Map]:
    """Yield the map of groups: how many members each has, and which."""
    if one.groups is not None:
        cells = 1 + one.profile.group_size
        value, size = f"__u32[{cells}]", one.profile.size
        yield Map(one.groups, "hash", "__u32", value, 4, 4 * cells, size, BPF_F_NO_PREALLOC)


def _port_maps(program: ir.Program, ports: Ports) -> Iterator[Map]:
    if program.devmap_size is not None and ports.devmap is not None:
        yield Map(ports.devmap, "devmap_hash", "__u32", "__u32", 4, 4, program.devmap_size)
    if program.ports is not None and ports.devmap is not None:
        value, size = ("__u32", 4) if ports.copies is None else ("struct bpf_devmap_val", 8)
        yield Map(ports.devmap, "devmap", "__u32", value, 4, size, program.ports.size)
    if ports.copies is not None and ports.counted is not None and program.ports is not None:
        key, value = "struct p4xdp_copy_key", "struct p4xdp_copy"
        yield Map(ports.copies, "hash", key, value, 16, 8, COPIES)
        counted = "struct p4xdp_counted"
        yield Map(ports.counted, "percpu_array", "__u32", counted, 4, 8, program.ports.size)
    if ports.interfaces is not None:
        yield Map(ports.interfaces, "array", "__u32", "__u32", 4, 4, INTERFACES)


def _message_maps(program: ir.Program, name: str | None) -> Iterator[Map]:
    if name is not None:
        yield from digests.maps(name)
        if _has_effect(program, "packet_message"):
            yield digests.packet_map(name)


def _perf_map(name: str | None) -> Iterator[Map]:
    if name is not None:
        yield Map(name, "perf_event_array", "__u32", "__u32", 4, 4, 0)


def _scratch_map(layout: Layout) -> Iterator[Map]:
    if layout.map:
        yield Map(layout.map, "percpu_array", "__u32", "struct scratch", 4, layout.size, 1)


def _parts_map(name: str | None, count: int) -> Iterator[Map]:
    if name:
        yield Map(name, "prog_array", "__u32", "__u32", 4, 4, count)


def table_maps(table: Table) -> Iterator[Map]:
    """Return the maps of a table: what holds its entries, and a changeable default."""
    if table.has_map:
        yield from access.of(table).maps(table)
    if table.has_default:
        name = f"{table.c_name}_default"
        if table.has_slots:
            yield data_map(name, f"struct {table.c_name}_defaults", table.defaults_size)
        else:
            yield data_map(name, f"struct {table.c_name}_value", table.value.size)


def _initial(table: Table) -> str:
    """Return the initializer of a changeable default."""
    choice = table.table.default
    action = table.actions[choice.index]
    slot = ".slots[0]" if table.has_slots else ""
    lines = [f"\t.current = {OFFSET_OF_SLOTS},"] if table.has_slots else []
    lines.append(f"\t{slot}.action = {action.enumerator},")
    for scalar, value in zip(action.data, choice.arguments, strict=True):
        name = f"{slot}.u.{action.c_name}.{scalar.c_name}"
        lines.append(f"\t{name} = {scalars.initializer(scalar, value)},")
    return " = {\n" + "\n".join(lines) + "\n}"


def _is_typed(program: ir.Program, table: Table) -> bool:
    """Tell whether the C names a table's types; a constant table is all code."""
    applied = (s for s in walk(program.body) if isinstance(s, ir.Apply))
    chosen = (apply.needs_choice(s, table) for s in applied if s.table == table.table.name)
    return table.has_map or table.has_default or any(chosen)


def _bare_names(tables: tuple[Table, ...], names: Names) -> dict[str, tuple[Action, ...]]:
    """Return for each table the actions whose own names mean nothing else in the program."""
    every = [action.c_name for table in tables for action in table.actions]
    return {
        table.c_name: tuple(
            action
            for action in table.actions
            if every.count(action.c_name) == 1
            and action.c_name not in names.taken
            and not is_library_name(action.c_name)
        )
        for table in tables
    }


# Names and declarations


def _labels(program: ir.Program, names: Names) -> dict[str, str]:
    """Return C names for the scopes that something leaves."""
    left = {s.label for s in walk(program.body) if isinstance(s, ir.Leave)}
    return {
        stmt.label: names.take(stmt.label)
        for stmt in walk(program.body)
        if isinstance(stmt, ir.Scope) and stmt.label in left
    }


# The body


def _packet_use(program: ir.Program, target: Target) -> PacketUse:
    measured = not target.is_tc and _has_effect(program, "perf_event_output")
    every = tuple(walk(program.body))
    end = measured or any(isinstance(s, ir.Check | ir.PacketLength) for s in every)
    loads = any(
        isinstance(e, ir.Load)
        for stmt in every
        for expr in flow.used_expressions(stmt)
        for e in walk_expression(expr)
    )
    data = end or loads or any(isinstance(s, ir.Store | ir.SetPointer) for s in every)
    return PacketUse(data, end, reloads.last_moves(program.body))


def _reach(program: ir.Program) -> int:
    """Return how many bytes from its start on the program may look at in a packet."""
    farthest, reach = {"data": 0}, 0
    for stmt in walk(program.body):
        match stmt:
            case ir.SetPointer(pointer=pointer, base=base, offset=offset, limit=limit):
                place = farthest.get(base, 0) + offset + limit
                farthest[pointer] = max(farthest.get(pointer, 0), place)
            case ir.Check(pointer=pointer, size=size):
                reach = max(reach, farthest.get(pointer, 0) + size)
    return reach


def _names_context(body: str) -> bool:
    return re.search(r"\bctx\b", re.sub(r"/\*.*?\*/|\"[^\"]*\"", "", body)) is not None


def _finders(tables: tuple[Table, ...], low: Lowering) -> tuple[str, ...]:
    return tuple(
        access.of(table).finder(table, in_scratch=low.in_scratch)
        for table in tables
        if table.c_name in low.looked_up
    )


def _first(program: ir.Program, low: Lowering, zeroing: list[str]) -> str:
    """Return what stands in front of everything."""
    w = CWriter()
    for line in zeroing:
        w.line(line)
    if program.replication and low.shown.needs(program.replication.is_replica):
        w.line(f"{low.variable(program.replication.is_replica)} = replica != P4XDP_NO_REPLICA;")
    leaving = program.replication and program.replication.is_leaving
    if leaving and low.shown.needs(leaving):
        w.line(f"{low.variable(leaving)} = replica == P4XDP_LEAVING;")
    if low.shown.needs(program.input_port):
        assert program.input_port is not None
        w.line(f"{low.variable(program.input_port)} = {low.target.arrival(low.ports)};")
    return w.text()


def _text(program: ir.Program, low: Lowering, body: ir.Body) -> str:
    low.uses = _packet_use(replace(program, body=body), low.target)
    w = CWriter()
    low.body(w, body)
    if flow.falls_through(body):
        w.line(f"return {low.target.dropped};")
    return w.text()
